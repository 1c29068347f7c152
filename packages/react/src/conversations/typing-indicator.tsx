import type { Target } from '@chorale/sdk'
import { useMemo } from 'react'
import { useTyping } from '../hooks/chat.ts'
import { useLive } from '../hooks/live.ts'
import { useChatContext } from '../provider/context.ts'
import type { UserBook } from '../provider/users.ts'

/** Who types now. */
export function TypingIndicator({ target }: { readonly target: Target }) {
  const { strings, users } = useChatContext()
  const uids = useTyping(target)
  const names = useLive(useMemo(() => namesOf(users, uids.slice(0, 3)), [users, uids]))
  return (
    <div className="chorale chorale-typing" role="status">
      {uids.length > 0 && names !== '' && (
        <>
          <span className="chorale-dots" aria-hidden="true" />
          <bdi>{strings.typing(names.split('\n'))}</bdi>
        </>
      )}
    </div>
  )
}

/** Empty until all are known. */
function namesOf(users: UserBook, uids: readonly string[]) {
  const all = uids.map((uid) => users.of(uid))
  return {
    subscribe(listener: () => void) {
      const ends = all.map((one) => one.subscribe(listener))
      return () => {
        for (const end of ends) end()
      }
    },
    getSnapshot() {
      const known = all.map((one) => one.getSnapshot()?.name)
      return known.includes(undefined) ? '' : known.join('\n')
    },
  }
}
