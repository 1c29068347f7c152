import type { ChatMessage } from '@chorale/sdk'
import type { ReactNode } from 'react'
import { Composer } from '../composer/composer.tsx'
import { ConversationHeader } from '../conversations/conversation-header.tsx'
import { TypingIndicator } from '../conversations/typing-indicator.tsx'
import { MessageList } from '../messages/message-list.tsx'
import { useSlot } from '../provider/context.ts'
import { ConversationProvider } from '../provider/conversation-provider.tsx'
import type { HeaderProps } from '../provider/slots.ts'

export interface ConversationViewProps extends HeaderProps {
  /** Keep the function between renders. */
  readonly onOpenThread?: ((message: ChatMessage) => void) | undefined
  /** Beside the conversation, with what belongs to it: a search, a thread. */
  readonly aside?: ReactNode
}

/** A conversation: whom it is with, its messages, who types, and where to write. */
export function ConversationView(props: ConversationViewProps) {
  const { target, onBack, onOpenThread, aside, children } = props
  const Header = useSlot('ConversationHeader', ConversationHeader)
  const List = useSlot('MessageList', MessageList)
  const Typing = useSlot('TypingIndicator', TypingIndicator)
  const Write = useSlot('Composer', Composer)
  // Another conversation begins anew: at its end, with nothing written.
  const key = `${target.receiverType}/${target.receiver}`
  return (
    <ConversationProvider key={key} target={target} onOpenThread={onOpenThread}>
      <main className="chorale chorale-view">
        <Header target={target} onBack={onBack}>
          {children}
        </Header>
        <List target={target} />
        <Typing target={target} />
        <Write target={target} />
      </main>
      {aside}
    </ConversationProvider>
  )
}
