import type { ChatMessage } from '@chorale/sdk'
import { type FocusEvent, memo, useState } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { useFormat, useSlot, useStrings } from '../provider/context.ts'
import { useConversationContext } from '../provider/conversation-context.ts'
import { Icon } from '../provider/icon.tsx'
import type { MessagePartProps, MessageRowProps } from '../provider/slots.ts'
import { Attachment } from './attachment.tsx'
import { MessageActions } from './message-actions.tsx'
import { isDeleted, isStreaming, labelOf, senderName, thumbnailsOf } from './message-parts.ts'
import { MessageText } from './message-text.tsx'
import { Reactions } from './reactions.tsx'
import {
  CustomMessage,
  DaySeparator,
  FailedMessage,
  QuotedMessage,
  Receipt,
  SystemMessage,
  UnreadSeparator,
  WithheldNote,
} from './small-parts.tsx'

/** A message with all that belongs to it. It renders when the message changes, and for no other. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, startsGroup, startsDay, startsUnread } = props
  const format = useFormat()
  const strings = useStrings()
  const Day = useSlot('DaySeparator', DaySeparator)
  const Unread = useSlot('UnreadSeparator', UnreadSeparator)
  const System = useSlot('SystemMessage', SystemMessage)
  const { isActive, events } = useActive()
  const isSystem = message.category === 'action'
  return (
    <article
      className="chorale-row"
      data-key={message.key}
      data-own={message.isOwn || undefined}
      data-continued={!startsGroup || undefined}
      aria-label={labelOf(message, strings, format.time(message.sentAt))}
      aria-busy={isStreaming(message) || undefined}
      tabIndex={-1}
      {...events}
    >
      {startsDay && <Day at={message.sentAt} />}
      {startsUnread && <Unread />}
      {isSystem ? (
        <System message={message} />
      ) : (
        <Said message={message} isActive={isActive} startsGroup={startsGroup} />
      )}
    </article>
  )
})

/** Whether a row is pointed at or has the focus: then it has buttons. */
function useActive() {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  return {
    isActive: isPointed || isFocused,
    events: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused(currentTarget.contains(relatedTarget)),
    },
  }
}

function Said(props: MessagePartProps & { readonly startsGroup: boolean }) {
  const { message, isActive, startsGroup } = props
  const Face = useSlot('Avatar', Avatar)
  const Toolbar = useSlot('MessageActions', MessageActions)
  const Marks = useSlot('Reactions', Reactions)
  const isNamed = message.receiverType === 'group' && !message.isOwn
  const name = senderName(message)
  const image = message.data.entities?.sender?.entity.avatar
  const hasActions = isActive && message.state === 'sent' && !isDeleted(message)
  return (
    <div className="chorale-said">
      {isNamed && (
        <div className="chorale-face">{startsGroup && <Face name={name} image={image} />}</div>
      )}
      <div className="chorale-column">
        {isNamed && startsGroup && (
          <b className="chorale-sender">
            <bdi>{name}</bdi>
          </b>
        )}
        <div className="chorale-bubble-line">
          <Bubble message={message} isActive={isActive} />
          {hasActions && <Toolbar message={message} />}
        </div>
        {!isDeleted(message) && <Marks message={message} isActive={isActive} />}
        <ThreadLink message={message} isActive={isActive} />
        {message.state === 'failed' && <FailedMessage message={message} />}
        <WithheldNote message={message} />
      </div>
    </div>
  )
}

function Bubble({ message, isActive }: MessagePartProps) {
  const strings = useStrings()
  const format = useFormat()
  const Mark = useSlot('Receipt', Receipt)
  const { editedAt, isOwn, pinnedAt, sentAt } = message
  const isEdited = editedAt !== undefined && !isDeleted(message) && !isStreaming(message)
  return (
    <div className="chorale-bubble" data-state={message.state}>
      {isDeleted(message) ? (
        <p className="chorale-text chorale-deleted">{strings.deleted}</p>
      ) : (
        <Content message={message} isActive={isActive} />
      )}
      <span className="chorale-meta">
        {pinnedAt !== undefined && (
          <span role="img" aria-label={strings.pinned}>
            <Icon name="pin" />
          </span>
        )}
        {isEdited && <span>{strings.edited}</span>}
        <time dateTime={new Date(sentAt * 1000).toISOString()} title={format.full(sentAt)}>
          {format.time(sentAt)}
        </time>
        {isOwn && !isDeleted(message) && <Mark message={message} />}
      </span>
    </div>
  )
}

function Content({ message, isActive }: MessagePartProps) {
  const Text = useSlot('MessageText', MessageText)
  const Quote = useSlot('QuotedMessage', QuotedMessage)
  const Custom = useSlot('CustomMessage', CustomMessage)
  const File = useSlot('Attachment', Attachment)
  if (message.category === 'custom') return <Custom message={message} />
  const files = attachmentsOf(message)
  return (
    <>
      <Quote message={message} isActive={isActive} />
      {files.length > 0 && (
        <div className="chorale-attachments" data-several={files.length > 1 || undefined}>
          {files.map((attachment, nth) => (
            <File
              key={attachment.uploadId ?? attachment.url ?? attachment.name}
              attachment={attachment}
              thumbnails={thumbnailsOf(message.data, nth)}
              type={message.type}
              isActive={isActive}
            />
          ))}
        </div>
      )}
      {(message.data.text !== undefined || isStreaming(message)) && (
        <Text message={message} isActive={isActive} />
      )}
    </>
  )
}

function attachmentsOf({ data: { attachments, url } }: ChatMessage) {
  return attachments ?? (url === undefined ? [] : [{ url }])
}

function ThreadLink({ message, isActive }: MessagePartProps) {
  const strings = useStrings()
  const { openThread } = useConversationContext()
  const count = message.replyCount ?? 0
  if (count === 0 || !openThread) return null
  return (
    <button
      type="button"
      className="chorale-thread-link"
      tabIndex={isActive ? 0 : -1}
      onClick={() => openThread(message)}
    >
      <Icon name="thread" />
      {strings.replies(count)}
    </button>
  )
}
