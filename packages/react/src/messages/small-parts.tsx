import type { ChatMessage, Message } from '@chorale/sdk'
import { useChatContext, useFormat, useStrings } from '../provider/context.ts'
import { useConversationContext } from '../provider/conversation-context.ts'
import { Icon } from '../provider/icon.tsx'
import type { MessagePartProps, MessageProps } from '../provider/slots.ts'
import { senderName, summaryOf, systemText } from './message-parts.ts'

export function DaySeparator({ at }: { readonly at: number }) {
  return (
    <div className="chorale-day">
      <time dateTime={new Date(at * 1000).toISOString()}>{useFormat().day(at)}</time>
    </div>
  )
}

export function UnreadSeparator() {
  return (
    <div className="chorale-unread-line">
      <span>{useStrings().newMessages}</span>
    </div>
  )
}

/** What somebody did to the group. */
export function SystemMessage({ message }: MessageProps) {
  return <p className="chorale-system">{systemText(message, useStrings())}</p>
}

/** A message of a type of the application's own, for which there is no slot. */
export function CustomMessage({ message }: MessageProps) {
  const { customMessage } = useStrings()
  return <p className="chorale-text">{message.data.text ?? `${customMessage} (${message.type})`}</p>
}

/** How far a message of one's own has come. */
export function Receipt({ message }: MessageProps) {
  const strings = useStrings()
  const { name, icon } = receiptOf(message)
  return (
    <span className="chorale-receipt" data-receipt={name} role="img" aria-label={strings[name]}>
      <Icon name={icon} />
    </span>
  )
}

function receiptOf({ state, readAt, deliveredAt }: ChatMessage) {
  if (state === 'failed') return { name: 'notSent', icon: 'alert' } as const
  if (state === 'sending') return { name: 'sending', icon: 'clock' } as const
  if (readAt !== undefined) return { name: 'read', icon: 'checks' } as const
  if (deliveredAt !== undefined) return { name: 'delivered', icon: 'checks' } as const
  return { name: 'sent', icon: 'check' } as const
}

/** The message that this one answers. */
export function QuotedMessage({ message, isActive }: MessagePartProps) {
  const { strings } = useChatContext()
  const { conversation, showMessage } = useConversationContext()
  const id = message.quotedMessageId ?? message.quotedMessage?.id
  if (id === undefined) return null
  const quoted: Pick<Message, 'category' | 'type' | 'data' | 'sender'> | undefined =
    message.quotedMessage ??
    conversation.messages.getSnapshot().items.find((other) => other.id === id)
  return (
    <button
      type="button"
      className="chorale-quote"
      tabIndex={isActive ? 0 : -1}
      onClick={() => showMessage(id)}
    >
      <b>
        <bdi>{quoted ? senderName(quoted) : strings.messages}</bdi>
      </b>
      <span>
        <bdi>{quoted ? summaryOf(quoted, strings) : '…'}</bdi>
      </span>
    </button>
  )
}

/** What went wrong with a message of one's own, and what to do about it. */
export function FailedMessage({ message }: MessageProps) {
  const strings = useStrings()
  const { conversation } = useConversationContext()
  const { clientId = '', error } = message
  return (
    <p className="chorale-failed" role="alert">
      <Icon name="alert" />
      <span title={error?.message}>{strings.notSent}</span>
      <button type="button" onClick={() => conversation.resend(clientId)?.stored.catch(isShown)}>
        {strings.resend}
      </button>
      <button type="button" onClick={() => conversation.discard(clientId)}>
        {strings.discard}
      </button>
    </p>
  )
}

/** A refusal is a state of the message, which its row shows. */
export function isShown(): void {
  // Nothing is left to do.
}

/** Moderation shows such a message to its sender alone. */
export function WithheldNote({ message }: MessageProps) {
  const strings = useStrings()
  const status = message.data.moderation?.status
  if (status !== 'disapproved' && status !== 'pending') return null
  return (
    <p className="chorale-withheld" role="status">
      {status === 'pending' ? strings.beingChecked : strings.blocked}
    </p>
  )
}
