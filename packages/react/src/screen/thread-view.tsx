import type { ChatMessage, Target } from '@chorale/sdk'
import { Composer } from '../composer/composer.tsx'
import { useThread } from '../hooks/chat.ts'
import { MessageList } from '../messages/message-list.tsx'
import { senderName, summaryOf } from '../messages/message-parts.ts'
import { useSlot, useStrings } from '../provider/context.ts'
import { ConversationProvider } from '../provider/conversation-provider.tsx'

export interface ThreadViewProps {
  readonly target: Target
  /** The message that the replies belong to. */
  readonly message: ChatMessage
}

/** The replies to a message, and where to write another. */
export function ThreadView({ target, message }: ThreadViewProps) {
  const strings = useStrings()
  const thread = useThread(target, message)
  const List = useSlot('MessageList', MessageList)
  const Write = useSlot('Composer', Composer)
  return (
    <div className="chorale chorale-thread">
      <blockquote className="chorale-thread-root">
        <b>
          <bdi>{message.isOwn ? strings.you : senderName(message)}</bdi>
        </b>
        <span>
          <bdi>{summaryOf(message, strings)}</bdi>
        </span>
      </blockquote>
      <ConversationProvider target={target}>
        <List target={target} list={thread.messages} label={strings.thread} />
        <Write target={target} onSend={thread.send} placeholder={strings.writeReply} />
      </ConversationProvider>
    </div>
  )
}
