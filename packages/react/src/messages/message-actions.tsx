import { useRef, useState } from 'react'
import { useChatContext } from '../provider/context.ts'
import { useConversationContext } from '../provider/conversation-context.ts'
import { Icon } from '../provider/icon.tsx'
import type { MessageProps } from '../provider/slots.ts'
import { isText } from './message-parts.ts'
import { useToggleReaction } from './reactions.tsx'

interface Action {
  readonly icon: 'reply' | 'thread' | 'edit' | 'delete'
  readonly label: string
  readonly run: () => void
}

function useActions({ message }: MessageProps): Action[] {
  const { strings, onError } = useChatContext()
  const { conversation, begin, openThread } = useConversationContext()
  const all: (Action | false | undefined)[] = [
    begin && { icon: 'reply', label: strings.reply, run: () => begin({ kind: 'reply', message }) },
    openThread && {
      icon: 'thread',
      label: strings.replyInThread,
      run: () => openThread(message),
    },
    begin &&
      message.isOwn &&
      isText(message) && {
        icon: 'edit',
        label: strings.edit,
        run: () => begin({ kind: 'edit', message }),
      },
    message.isOwn && {
      icon: 'delete',
      label: strings.delete,
      run: () => void conversation.delete(message).catch(onError),
    },
  ]
  return all.filter((one) => one !== undefined && one !== false)
}

/** What can be done with a message. It is rendered for the row that is pointed at or has the focus. */
export function MessageActions({ message }: MessageProps) {
  const { strings, reactions } = useChatContext()
  const [isPicking, setPicking] = useState(false)
  const first = useRef<HTMLButtonElement>(null)
  const toggle = useToggleReaction(message)
  const actions = useActions({ message })
  return (
    <div className="chorale-actions" role="toolbar" aria-label={strings.messageActions}>
      <button
        ref={first}
        type="button"
        aria-label={strings.addReaction}
        aria-expanded={isPicking}
        onClick={() => setPicking(!isPicking)}
      >
        <Icon name="smile" />
      </button>
      {isPicking
        ? reactions.map((reaction) => (
            <button
              key={reaction}
              type="button"
              className="chorale-emoji"
              aria-label={strings.reactWith(reaction)}
              onClick={() => {
                first.current?.focus()
                setPicking(false)
                toggle(reaction)
              }}
            >
              {reaction}
            </button>
          ))
        : actions.map(({ icon, label, run }) => (
            <button key={icon} type="button" aria-label={label} title={label} onClick={run}>
              <Icon name={icon} />
            </button>
          ))}
    </div>
  )
}
