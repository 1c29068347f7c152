import type { ConversationItem, Target } from '@chorale/sdk'
import { type KeyboardEvent, memo, type ReactNode } from 'react'
import { More } from '../list/more.tsx'
import { senderName, summaryOf } from '../messages/message-parts.ts'
import { Avatar } from '../people/avatar.tsx'
import { useFormat, useSlot, useStrings } from '../provider/context.ts'
import { Empty } from '../provider/empty.tsx'
import type { ConversationRowProps } from '../provider/slots.ts'
import { useConversationRows } from './conversation-rows.ts'
import { UnreadBadge } from './unread-badge.tsx'

export interface ConversationListProps {
  readonly selected?: Target | undefined
  /** Keep the function between renders. */
  readonly onSelect: (target: Target) => void
  /** Buttons beside the title. */
  readonly children?: ReactNode
}

/** The conversations, the newest first. Tab reaches one of them, the arrow keys the others. */
export function ConversationList({ selected, onSelect, children }: ConversationListProps) {
  const strings = useStrings()
  const list = useConversationRows()
  const Row = useSlot('ConversationRow', ConversationRow)
  const None = useSlot('Empty', Empty)
  const isSelected = (item: Target) =>
    item.receiver === selected?.receiver && item.receiverType === selected.receiverType
  const tabStop = list.items.find(isSelected) ?? list.items[0]
  const isEmpty = list.status === 'ready' && list.items.length === 0
  return (
    <nav className="chorale chorale-conversations" aria-label={strings.conversations}>
      <header className="chorale-header">
        <div className="chorale-title">
          <h2>{strings.conversations}</h2>
        </div>
        {children}
      </header>
      <div className="chorale-conversations-list">
        {isEmpty && <None text={strings.noConversations} />}
        <ul onKeyDown={moveFocus}>
          {list.items.map((item) => (
            <Row
              key={item.conversationId}
              item={item}
              isSelected={isSelected(item)}
              isTabStop={item === tabStop}
              onSelect={onSelect}
            />
          ))}
        </ul>
        <More list={list} />
      </div>
    </nav>
  )
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > li > button')]
  // Only elements have keys pressed on them.
  const place = all.indexOf(event.target as HTMLElement)
  const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key]
  const next = to === undefined ? undefined : all[to]
  if (!next) return
  event.preventDefault()
  next.focus()
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { item, isSelected, isTabStop, onSelect } = props
  const { receiver, receiverType, name, user, group, unread, lastMessage } = item
  const format = useFormat()
  const Face = useSlot('Avatar', Avatar)
  const Badge = useSlot('UnreadBadge', UnreadBadge)
  return (
    <li>
      <button
        type="button"
        className="chorale-conversation"
        aria-current={isSelected || undefined}
        data-unread={unread > 0 || undefined}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => onSelect({ receiver, receiverType })}
      >
        <Face name={name} image={user?.avatar ?? group?.icon} uid={user?.uid} />
        <span className="chorale-conversation-name" dir="auto">
          {name}
        </span>
        {lastMessage && (
          <time dateTime={new Date(lastMessage.sentAt * 1000).toISOString()}>
            {format.short(lastMessage.sentAt)}
          </time>
        )}
        <Preview item={item} />
        {unread > 0 && <Badge count={unread} />}
      </button>
    </li>
  )
})

function Preview({ item }: { readonly item: ConversationItem }) {
  const strings = useStrings()
  const { typing, lastMessage, receiverType } = item
  if (typing.length > 0) {
    return (
      <span className="chorale-preview">
        <span className="chorale-dots" role="img" aria-label={strings.typing([item.name])} />
      </span>
    )
  }
  if (!lastMessage) return <span className="chorale-preview" />
  const isNamed = receiverType === 'group' && lastMessage.category !== 'action'
  return (
    <span className="chorale-preview" dir="auto">
      {isNamed && <>{senderName(lastMessage)}: </>}
      {summaryOf(lastMessage, strings)}
    </span>
  )
}
