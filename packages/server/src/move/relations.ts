import type { ListedUser } from './listed.ts'
import { allOf, pagesOf, usersOf } from './lists.ts'
import type { Moving } from './moving.ts'
import { systemUid } from './people.ts'
import { Refused, type Side } from './side.ts'

/** How a list of others is read and written: by usual calls, so webhooks of the new side hear of it. */
const lists = [
  { path: 'friends', adds: 'accepted', removes: 'friends' },
  { path: 'blockedusers', adds: 'blockedUids', removes: 'blockedUids' },
] as const
type List = (typeof lists)[number]

const perCall = 25

/** Friends and blocked users: two calls for each user, so only if they are asked for. */
export async function moveRelations(moving: Moving): Promise<void> {
  const { from, state, progress, withRelations } = moving
  let { done, count, place } = state.step('relations')
  if (done || !withRelations) return
  for await (const { items, next } of usersOf(from, place)) {
    const active = items.filter(
      ({ uid, deactivatedAt }) => uid !== systemUid && deactivatedAt === undefined,
    )
    await Promise.all(active.map(({ uid }) => moveRelationsOf(moving, uid)))
    count += items.length
    place = next
    state.save('relations', { done: false, count, place })
    progress('relations', count)
  }
  state.save('relations', { done: true, count })
}

/** Of one user, as they are now. */
export async function moveRelationsOf(moving: Moving, uid: string): Promise<void> {
  for (const list of lists) {
    try {
      await moveList(moving, uid, list)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      moving.state.leave([{ kind: list.path, id: uid, why: error.message }])
    }
  }
}

async function moveList(
  { from, to }: Moving,
  uid: string,
  { path, adds, removes }: List,
): Promise<void> {
  const at = `/users/${uid}/${path}`
  const [before, after] = await Promise.all([uidsIn(from, at), uidsIn(to, at)])
  for (const some of pieces([...before].filter((one) => !after.has(one)))) {
    await to.post(at, { [adds]: some })
  }
  for (const one of after) {
    if (!before.has(one)) await endOne(to, at, { [removes]: [one] })
  }
}

/** Friends have each other: the other one of the two may have been first. */
async function endOne(to: Side, path: string, body: object): Promise<void> {
  try {
    await to.delete(path, undefined, body)
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error
  }
}

async function uidsIn(side: Side, path: string): Promise<Set<string>> {
  return new Set((await allOf(pagesOf<ListedUser>(side, path, {}))).map(({ uid }) => uid))
}

function* pieces(uids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < uids.length; at += perCall) yield uids.slice(at, at + perCall)
}
