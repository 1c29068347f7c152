import { importItems } from '../../../server/src/move/batches.ts'
import type { Side } from '../../../server/src/move/side.ts'
import type { Random } from '../seeded.ts'

export interface Size {
  readonly users: number
  readonly groups: number
  readonly messages: number
}

/** A message that is there. */
export interface Known {
  readonly id: string
  readonly sender: string
  readonly receiver: string
  readonly receiverType: 'user' | 'group'
}

/** Who is there, and some of what they have said. */
export interface OldSide {
  readonly size: Size
  /** Unix seconds: all users and groups have been there since. */
  readonly begin: number
  membersOf(group: number): readonly string[]
  readonly said: readonly Known[]
}

const membersPerGroup = 8
const callers = 4
const perCall = 500
const days = 400

export const uidOf = (nth: number) => `u${nth}`
export const guidOf = (nth: number) => `g${nth}`

/** Fills an app by imports: users, groups with their members, messages of more than a year. */
export async function fillOldSide(side: Side, size: Size, random: Random): Promise<OldSide> {
  const now = Math.floor(Date.now() / 1000)
  const begin = now - days * 86_400
  const membersOf = (group: number) =>
    Array.from({ length: membersPerGroup }, (_, nth) =>
      uidOf((group * 7 + nth * nth * 13 + nth) % size.users),
    ).filter((uid, nth, all) => all.indexOf(uid) === nth)
  const all = async (kind: string, count: number, of: (nth: number) => [string, object][]) => {
    const items = new Map<string, object>()
    for (let nth = 0; nth < count; nth++) {
      for (const [key, item] of of(nth)) items.set(key, item)
      if (items.size < perCall && nth < count - 1) continue
      for (const [key, { success, error }] of await importItems({ to: side, kind }, items)) {
        if (!success) throw new Error(`${kind} ${key}: ${error?.message}`)
      }
      items.clear()
    }
  }
  await all('users', size.users, (nth) => {
    const uid = uidOf(nth)
    return [[uid, { uid, name: `User ${nth}`, createdAt: begin, tags: [`t${nth % 5}`] }]]
  })
  await all('groups', size.groups, (nth) => {
    const guid = guidOf(nth)
    const [owner] = membersOf(nth)
    return [[guid, { guid, name: `Group ${nth}`, type: 'public', owner, createdAt: begin }]]
  })
  await all('members', size.groups, (nth) =>
    membersOf(nth)
      .slice(1)
      .map((uid) => {
        const memberId = `${guidOf(nth)}_member_${uid}`
        return [memberId, { memberId, guid: guidOf(nth), uid, joinedAt: begin }]
      }),
  )
  const said = await fillMessages(side, { size, membersOf, begin, end: now - 3600 }, random)
  return { size, begin, membersOf, said }
}

interface Filling {
  readonly size: Size
  membersOf(group: number): readonly string[]
  readonly begin: number
  readonly end: number
}

interface Stored {
  readonly data: Readonly<Record<string, { success: boolean; data?: Known; error?: object }>>
}

async function fillMessages(side: Side, filling: Filling, random: Random): Promise<Known[]> {
  const { size } = filling
  const said: Known[] = []
  const each = Math.ceil(size.messages / callers)
  const fill = async (caller: number) => {
    for (let first = 0; first < each; first += perCall) {
      const items: [string, object][] = []
      for (let nth = first; nth < Math.min(each, first + perCall); nth++) {
        const muid = `m-${caller}-${nth}`
        items.push([muid, { muid, ...messageOf(filling, random, caller, nth / each) }])
      }
      const body = { messages: Object.fromEntries(items), unread: true }
      const { data } = await side.post<Stored>('/data_import/messages', body)
      for (const { success, data: stored, error } of Object.values(data)) {
        if (!success) throw new Error(JSON.stringify(error))
        if (stored && random.chance(0.02)) said.push(stored)
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => fill(caller)))
  return said
}

/** Each caller has conversations of its own, so that their times go on. */
function messageOf(filling: Filling, random: Random, caller: number, share: number): object {
  const { size, membersOf, begin, end } = filling
  const sentAt = Math.floor(begin + (end - begin) * share)
  const text = `${random.below(1_000_000)} ${'words of a message '.repeat(1 + random.below(6))}`
  const changed = random.chance(0.01) ? { editedAt: sentAt + 60 } : {}
  if (random.chance(0.7)) {
    const group = own(random, size.groups, caller)
    const members = membersOf(group)
    const sender = random.pick(members)
    const reactions = random.chance(0.02) ? [{ uid: random.pick(members), reaction: '👍' }] : []
    const receiver = guidOf(group)
    return {
      sender,
      receiver,
      receiverType: 'group',
      sentAt,
      data: { text },
      reactions,
      ...changed,
    }
  }
  const pair = own(random, Math.max(callers, Math.floor(size.users / 5)), caller)
  const [one, other] = [uidOf(pair * 2), uidOf(pair * 2 + 1)]
  const [sender, receiver] = random.chance(0.5) ? [one, other] : [other, one]
  const read = random.chance(0.9) ? { deliveredAt: sentAt + 1, readAt: sentAt + 5 } : {}
  return { sender, receiver, receiverType: 'user', sentAt, data: { text }, ...changed, ...read }
}

function own(random: Random, count: number, caller: number): number {
  return random.below(Math.floor(count / callers)) * callers + caller
}
