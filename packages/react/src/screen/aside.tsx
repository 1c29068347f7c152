import type { ChatMessage, Target } from '@chorale/sdk'
import { type RefObject, useEffect, useRef } from 'react'
import { Search } from '../messages/search.tsx'
import { MemberList } from '../people/member-list.tsx'
import { useStrings } from '../provider/context.ts'
import { useConversationContext } from '../provider/conversation-context.ts'
import { Icon } from '../provider/icon.tsx'
import { ThreadView } from './thread-view.tsx'

/** What is shown beside a conversation. */
export type Shown =
  | { readonly kind: 'thread'; readonly message: ChatMessage }
  | { readonly kind: 'members' }
  | { readonly kind: 'search' }

interface AsideProps {
  readonly shown: Shown
  readonly target: Target
  readonly onClose: () => void
}

export function Aside({ shown, target, onClose }: AsideProps) {
  const strings = useStrings()
  const pane = useRef<HTMLElement>(null)
  const title = strings[shown.kind]
  useFocusInside(pane, shown)
  return (
    <aside
      ref={pane}
      className="chorale-aside"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
    >
      <header className="chorale-header">
        <div className="chorale-title">
          <h2>{title}</h2>
        </div>
        <button
          type="button"
          className="chorale-button"
          aria-label={strings.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      {shown.kind === 'thread' && (
        <ThreadView key={shown.message.key} target={target} message={shown.message} />
      )}
      {shown.kind === 'members' && <MemberList target={target} />}
      {shown.kind === 'search' && <SearchHere target={target} />}
    </aside>
  )
}

/** Whoever opened it by the keyboard goes on in it, and comes back to where they were. */
function useFocusInside(pane: RefObject<HTMLElement | null>, shown: Shown): void {
  const key = shown.kind === 'thread' ? shown.message.key : shown.kind
  useEffect(() => {
    if (key === '') return
    const before = document.activeElement
    const first = pane.current?.querySelector<HTMLElement>('input, textarea')
    const other = first ?? pane.current?.querySelector('button')
    other?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [pane, key])
}

function SearchHere({ target }: { readonly target: Target }) {
  const { showMessage } = useConversationContext()
  // A reply is in its thread; the list has the message that it belongs to.
  return <Search target={target} onSelect={({ id, parentId }) => showMessage(parentId ?? id)} />
}
