import { importItems, lacksPeople, leftoversIn } from './batches.ts'
import { type Form, memberForm, textOf } from './forms.ts'
import type { ListedUser } from './listed.ts'
import { allOf, bannedOf, groupsOf, membersOf } from './lists.ts'
import type { Moving } from './moving.ts'
import { userDetails } from './people.ts'
import { Refused, type Side } from './side.ts'

const groupsAtOnce = 8

export async function moveMembers(moving: Moving): Promise<void> {
  const { from, state, progress } = moving
  let { done, count, place } = state.step('members')
  if (done) return
  for await (const { items, next } of groupsOf(from, place)) {
    for (let at = 0; at < items.length; at += groupsAtOnce) {
      const together = items.slice(at, at + groupsAtOnce)
      const counts = await Promise.all(together.map((group) => moveMembersOf(moving, group.guid)))
      count += counts.reduce((sum, one) => sum + one, 0)
      progress('members', count)
    }
    place = next
    state.save('members', { done: false, count, place })
  }
  state.save('members', { done: true, count })
}

/** Who came, who changed, and who left since. */
export async function moveMembersOf({ from, to, state }: Moving, guid: string): Promise<number> {
  const [before, after] = await Promise.all([standingsIn(from, guid), standingsIn(to, guid)])
  const items = new Map<string, object>()
  const idOf = (uid: string) => `${guid}_member_${uid}`
  const put = (uid: string, standing: object) =>
    items.set(idOf(uid), { memberId: idOf(uid), guid, uid, ...standing })
  for (const [uid, { is }] of before) {
    if (textOf(is) !== textOf(after.get(uid)?.is)) put(uid, is)
  }
  for (const uid of after.keys()) if (!before.has(uid)) put(uid, { hasLeft: true })
  const importing = { to, kind: 'members', with: { update: true } }
  const outcomes = await importItems(importing, items)
  const again = new Map<string, object>()
  for (const [uid, { who }] of before) {
    const outcome = outcomes.get(idOf(uid))
    const item = items.get(idOf(uid))
    // They came while the move was under way.
    if (item && outcome && lacksPeople(outcome)) {
      again.set(idOf(uid), { ...item, userDetails: userDetails(who) })
    }
  }
  for (const [key, outcome] of await importItems(importing, again)) outcomes.set(key, outcome)
  state.leave(leftoversIn('members', outcomes))
  return before.size
}

interface Standing {
  readonly is: Form
  readonly who: ListedUser
}

/** Members and banned users by uid; none where there is no such group. */
export async function standingsIn(side: Side, guid: string): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>()
  try {
    for (const who of await allOf(membersOf(side, guid))) {
      standings.set(who.uid, { is: memberForm(who), who })
    }
    for (const who of await allOf(bannedOf(side, guid))) {
      standings.set(who.uid, { is: { isBanned: true }, who })
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error
  }
  return standings
}
