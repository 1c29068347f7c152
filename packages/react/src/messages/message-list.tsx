import type { ChatMessage, LiveList } from '@chorale/sdk'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useConversation } from '../hooks/chat.ts'
import { type LoadedList, useLiveList } from '../hooks/live.ts'
import { type Rows, useRows } from '../list/use-rows.ts'
import { useSlot, useStrings } from '../provider/context.ts'
import { Empty } from '../provider/empty.tsx'
import { isSameDay } from '../provider/format.ts'
import { Icon } from '../provider/icon.tsx'
import type { MessageListProps } from '../provider/slots.ts'
import { Announcer } from './announcer.tsx'
import { useJumps } from './jumps.ts'
import { continues } from './message-parts.ts'
import { MessageRow } from './message-row.tsx'
import { useReading } from './reading.ts'
import { moveInRows } from './row-keys.ts'

/** The messages of a conversation, or of a thread. Only those near the view are in the page. */
export function MessageList({ target, list: given, label }: MessageListProps) {
  const conversation = useConversation(target)
  const list = given ?? conversation.messages
  const loaded = useLiveList(list)
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const rows = useRows({
    items: loaded.items,
    scroller,
    content,
    onStart() {
      if (loaded.status === 'ready' && loaded.hasMore) loaded.loadMore().catch(isInState)
    },
  })
  const unreadKey = useReading(conversation, loaded, rows.isAtEnd && given === undefined)
  useOwnToEnd(loaded.items, rows)
  useJumps({ list, rows, content })
  const strings = useStrings()

  function onKeyDown(event: KeyboardEvent): void {
    const wanted = moveInRows(event, content.current)
    if (wanted === 'first') rows.toRow(0)
    if (wanted === 'last') rows.toEnd()
  }

  return (
    <div className="chorale chorale-messages">
      <ListStatus loaded={loaded} />
      <div
        ref={scroller}
        className="chorale-scroller"
        role="feed"
        aria-label={label ?? strings.messages}
        aria-busy={loaded.status === 'loading'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div
          ref={content}
          className="chorale-content"
          style={{ paddingBlockStart: rows.before, paddingBlockEnd: rows.after }}
        >
          <RowsOf items={loaded.items} rows={rows} unreadKey={unreadKey} />
        </div>
      </div>
      {!rows.isAtEnd && <ToEnd list={list} rows={rows} />}
      <Announcer list={list} />
    </div>
  )
}

interface RowsOfProps {
  readonly items: readonly ChatMessage[]
  readonly rows: Rows
  readonly unreadKey: string | undefined
}

function RowsOf({ items, rows: { start, end }, unreadKey }: RowsOfProps) {
  const Row = useSlot('MessageRow', MessageRow)
  return items.slice(start, end).map((message, place) => {
    const before = items[start + place - 1]
    const startsDay = !before || !isSameDay(before.sentAt, message.sentAt)
    const startsUnread = message.key === unreadKey
    return (
      <Row
        key={message.key}
        message={message}
        startsDay={startsDay}
        startsUnread={startsUnread}
        startsGroup={startsDay || startsUnread || !continues(message, before)}
      />
    )
  })
}

function ListStatus({ loaded }: { readonly loaded: LoadedList<ChatMessage> }) {
  const strings = useStrings()
  const None = useSlot('Empty', Empty)
  const { items, status, loadMore } = loaded
  if (status === 'failed') {
    return (
      <p className="chorale-list-status" role="alert">
        {strings.loadFailed}{' '}
        <button type="button" onClick={() => void loadMore().catch(isInState)}>
          {strings.tryAgain}
        </button>
      </p>
    )
  }
  if (status === 'loading') {
    return (
      <p className="chorale-list-status" role="status">
        <span className="chorale-spinner" />
        <span className="chorale-hidden">{strings.loading}</span>
      </p>
    )
  }
  return status === 'ready' && items.length === 0 ? <None text={strings.noMessages} /> : null
}

function ToEnd({ list, rows }: { readonly list: LiveList<ChatMessage>; readonly rows: Rows }) {
  const strings = useStrings()
  const { items } = useLiveList(list)
  const seen = useRef(items.length)
  const fresh = items.length - seen.current
  return (
    <button
      type="button"
      className="chorale-to-end"
      aria-label={strings.jumpToLatest}
      data-fresh={(fresh > 0 && fresh <= 30) || undefined}
      onClick={rows.toEnd}
    >
      <Icon name="down" />
    </button>
  )
}

/** Whoever sends a message sees it. */
function useOwnToEnd(items: readonly ChatMessage[], rows: Rows): void {
  const last = items.at(-1)
  const seen = useRef(last?.key)
  useEffect(() => {
    const isNew = last !== undefined && last.key !== seen.current
    seen.current = last?.key
    if (isNew && last.state === 'sending' && !rows.isAtEnd) rows.toEnd()
  })
}

/** Why a page could not be loaded is a state of the list, which is shown. */
function isInState(): void {
  // Nothing is left to do.
}
