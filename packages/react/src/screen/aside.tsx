import type { ChatMessage, Target } from '@chorale/sdk'
import { useEffect, useRef } from 'react'
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
  const close = useRef<HTMLButtonElement>(null)
  const title = strings[shown.kind]
  useEffect(() => {
    // Whoever opened it by the keyboard goes on in it.
    if (shown.kind === 'members') close.current?.focus()
  }, [shown.kind])
  return (
    <aside
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
          ref={close}
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

function SearchHere({ target }: { readonly target: Target }) {
  const { showMessage } = useConversationContext()
  // A reply is in its thread; the list has the message that it belongs to.
  return <Search target={target} onSelect={({ id, parentId }) => showMessage(parentId ?? id)} />
}
