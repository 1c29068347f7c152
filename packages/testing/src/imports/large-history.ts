import { importItems } from '../../../server/src/move/batches.ts'
import type { Side } from '../../../server/src/move/side.ts'

const workers = 4
const perCall = 500
const begin = 1_600_000_000

/** A history of so many messages: groups and pairs, replies, edits, deletions, reactions and receipts. */
export async function fillHistory(to: Side, messages: number): Promise<void> {
  const people = Math.max(40, Math.ceil(messages / 2000) * 10)
  await fillPeople(to, people)
  const work = async (worker: number) => {
    const share = Math.ceil(messages / workers)
    for (let at = 0; at < share; at += perCall) {
      const items = new Map<string, object>()
      for (let nth = at; nth < Math.min(share, at + perCall); nth++) {
        const item = messageOf(worker, nth, people)
        items.set(item.muid, item)
      }
      await importAll(to, 'messages', items, { unread: true })
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
}

async function fillPeople(to: Side, people: number): Promise<void> {
  const users = new Map<string, object>()
  const groups = new Map<string, object>()
  const members = new Map<string, object>()
  for (let nth = 0; nth < people; nth++) {
    const uid = `u${nth}`
    users.set(uid, { uid, name: `User ${nth}`, createdAt: begin - 100, tags: [`t${nth % 5}`] })
    if (nth % 10 >= workers) continue
    const guid = `g${nth}`
    groups.set(guid, { guid, name: guid, type: 'public', owner: uid, createdAt: begin - 50 })
    for (const other of membersOf(nth, people)) {
      const memberId = `${guid}_member_${other}`
      members.set(memberId, { memberId, guid, uid: other, joinedAt: begin - 10 })
    }
  }
  await importAll(to, 'users', users)
  await importAll(to, 'groups', groups)
  await importAll(to, 'members', members)
}

function membersOf(nth: number, people: number): string[] {
  return [1, 2, 3, 4, 5].map((step) => `u${(nth + step) % people}`)
}

async function importAll(to: Side, kind: string, items: Map<string, object>, beside?: object) {
  const importing = { to, kind, most: perCall, ...(beside && { with: beside }) }
  for (const [key, { success, error }] of await importItems(importing, items)) {
    if (!success) throw new Error(`${kind} ${key} was refused: ${error?.code} ${error?.message}`)
  }
}

/** Each worker has conversations of its own, in each of which ids and times grow. */
function messageOf(worker: number, nth: number, people: number) {
  const tens = Math.ceil(people / 10)
  const talk = (nth % tens) * 10 + worker
  const place = Math.floor(nth / tens)
  const idOf = (at: number) => String(1000 + (at * tens + (nth % tens)) * workers + worker)
  const isGroup = place % 3 !== 0
  const sentAt = begin + nth
  const sender = isGroup ? membersOf(talk, people)[place % 5] : `u${talk}`
  const deletedAt = place % 50 === 7 ? sentAt + 5 : undefined
  // What stands before it is of the group, too.
  const isReply = place % 3 === 2 && place % 20 === 5
  return {
    id: idOf(place),
    muid: place % 2 === 0 ? `m-${worker}-${nth}` : idOf(place),
    sender,
    receiverType: isGroup ? 'group' : 'user',
    receiver: isGroup ? `g${talk}` : `u${(talk + 1) % people}`,
    sentAt,
    data: { text: `Message ${nth} of ${worker}. `.repeat(1 + (nth % 4)), metadata: { nth } },
    ...(isReply && { parentId: idOf(place - 1) }),
    ...(place % 25 === 3 && { editedAt: sentAt + 3, editedBy: sender }),
    ...(deletedAt && { deletedAt, deletedBy: sender }),
    ...(place % 10 === 1 && {
      reactions: [{ uid: `u${talk}`, reaction: '👍', reactedAt: sentAt }],
    }),
    ...(!isGroup && place % 2 === 0 && { deliveredAt: sentAt + 1, readAt: sentAt + 2 }),
  }
}
