import type { ChatMessage } from '@chorale/sdk'
import { useChatContext } from '../provider/context.ts'
import { useConversationContext } from '../provider/conversation-context.ts'
import type { MessagePartProps } from '../provider/slots.ts'

/** Adds a reaction of one's own, or takes it back. */
export function useToggleReaction(message: ChatMessage): (reaction: string) => void {
  const { conversation } = useConversationContext()
  const { onError } = useChatContext()
  return (reaction) => {
    const isOn = message.data.reactions?.find((one) => one.reaction === reaction)?.reactedByMe
    const change = isOn ? conversation.unreact : conversation.react
    change(message, reaction).catch(onError)
  }
}

/** The reactions to a message; each is a button that adds or removes one's own. */
export function Reactions({ message, isActive }: MessagePartProps) {
  const { strings } = useChatContext()
  const toggle = useToggleReaction(message)
  const { reactions = [] } = message.data
  if (reactions.length === 0) return null
  return (
    <div className="chorale-reactions">
      {reactions.map(({ reaction, count, reactedByMe = false }) => (
        <button
          key={reaction}
          type="button"
          className="chorale-reaction"
          aria-pressed={reactedByMe}
          aria-label={strings.reaction(reaction, count, reactedByMe)}
          tabIndex={isActive ? 0 : -1}
          onClick={() => toggle(reaction)}
        >
          <span>{reaction}</span>
          <span>{count}</span>
        </button>
      ))}
    </div>
  )
}
