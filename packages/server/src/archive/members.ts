import { bannedOf, membersOf } from '../move/lists.ts'
import type { Side } from '../move/side.ts'
import type { Item } from './format.ts'

/** Members and banned users of a group, page by page. */
export async function* membersIn(from: Side, guid: string): AsyncGenerator<Item[]> {
  for await (const { items } of membersOf(from, guid)) {
    yield items.map(({ uid, scope, joinedAt }) => memberItem(guid, uid, { scope, joinedAt }))
  }
  for await (const { items } of bannedOf(from, guid)) {
    yield items.map(({ uid }) => memberItem(guid, uid, { isBanned: true }))
  }
}

export function memberItem(guid: string, uid: string, said: object): Item {
  return { kind: 'member', item: { memberId: `${guid}_member_${uid}`, guid, uid, ...said } }
}
