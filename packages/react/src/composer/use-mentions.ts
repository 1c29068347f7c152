import type { Target } from '@chorale/sdk'
import { useMemo, useState } from 'react'
import { useMe, useMembers } from '../hooks/chat.ts'
import { useUser } from '../people/use-user.ts'
import type { Person } from '../provider/slots.ts'
import { type MentionQuery, matching } from './mention-text.ts'

export interface Mentions {
  readonly people: readonly Person[]
  /** The place of the one that Enter would choose. */
  readonly active: number
  move(by: 1 | -1): void
  ask(query: MentionQuery | undefined): void
  readonly query: MentionQuery | undefined
}

const most = 8
const nobody: readonly Person[] = []

/** Who can be mentioned, as far as it was typed. */
export function useMentions(target: Target): Mentions {
  const [query, setQuery] = useState<MentionQuery>()
  const [active, setActive] = useState(0)
  const everybody = usePeople(target)
  const people = useMemo(
    () => (query ? matching(everybody, query.words).slice(0, most) : nobody),
    [everybody, query],
  )
  return {
    people,
    active: Math.min(active, people.length - 1),
    query,
    move: (by) => setActive((active + by + people.length) % people.length),
    ask(asked) {
      if (asked?.at === query?.at && asked?.words === query?.words) return
      setActive(0)
      setQuery(asked)
    },
  }
}

/** The members of a group as far as they are loaded, or the other user; not oneself. */
function usePeople(target: Target): readonly Person[] {
  const { items } = useMembers(target)
  const other = useUser(target.receiverType === 'user' ? target.receiver : undefined)
  const me = useMe()?.uid
  return useMemo(() => {
    const all: readonly Person[] = other ? [other] : items
    return all.filter(({ uid }) => uid !== me)
  }, [items, other, me])
}
