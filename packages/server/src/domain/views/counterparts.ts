import type { Group } from '@chorale/contract/groups'
import type { User } from '@chorale/contract/users'
import type { AppDb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { openLoader } from '../../database/loader.ts'
import { inside } from '../../pipeline/raw-json.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { otherThan } from '../log/entries/index.ts'
import {
  conversationIdOf,
  findUsers,
  openSeenUsers,
  type SeenUser,
  shownUser,
  type UserRow,
  type UserView,
} from '../users/index.ts'
import { findGroups, findSeenGroups, type GroupRow, type SeenGroup } from './counterparts.sql.ts'
import { findMoves, type Move, type Range, rangeName } from './moves.sql.ts'

interface Wanted {
  readonly uids: readonly string[]
  readonly guids: readonly string[]
  /** Also which of the users have blocked the viewer, or are blocked. */
  readonly blocks: boolean
}

export interface Found {
  readonly users: readonly UserRow[]
  readonly groups: readonly GroupRow[]
}

/** Where users, groups and readers are read: in the own transaction, or together with others. */
export interface ProfileLoader {
  find(wanted: Wanted, viewer: string | undefined): Promise<Found>
  /** One list for each range. */
  moves(ranges: readonly Range[]): Promise<readonly (readonly Move[])[]>
}

/** Reads in the transaction, and so sees what it has changed. */
export function profilesIn(db: AppDb): ProfileLoader {
  return {
    async find({ uids, guids, blocks }, viewer) {
      return {
        users: await findUsers(db, uids, blocks ? viewer : undefined),
        groups: await findGroups(db, guids, viewer),
      }
    },
    async moves(ranges) {
      return ranges.length === 0 ? [] : findMoves(db.db, ranges)
    },
  }
}

const atOnce = { concurrency: 1, maxPerBatch: 500 }
const seenName = (key: SeenUser | SeenGroup) =>
  `${key.appId} ${'uid' in key ? key.uid : key.guid} ${key.viewer ?? ''}`

/** What the requests of one moment want to see of users and groups, in one statement each. */
export function openProfileLoader(db: Db): (appId: string) => ProfileLoader {
  const user = openLoader({
    ...atOnce,
    fetch: openSeenUsers(db),
    nameOf: seenName,
  })
  const group = openLoader({
    ...atOnce,
    fetch: (wanted: readonly SeenGroup[]) => findSeenGroups(db, wanted),
    nameOf: seenName,
  })
  const moves = openLoader({
    ...atOnce,
    fetch: (ranges: readonly Range[]) => findMoves(db, ranges),
    nameOf: rangeName,
  })
  const found = async <T>(rows: readonly Promise<T | undefined>[]): Promise<T[]> =>
    (await Promise.all(rows)).filter((row) => row !== undefined)
  return (appId) => ({
    async find({ uids, guids, blocks }, viewer) {
      const toUsers = blocks ? viewer : undefined
      const [users, groups] = await Promise.all([
        found(uids.map((uid) => user.load({ appId, uid, viewer: toUsers }))),
        found(guids.map((guid) => group.load({ appId, guid, viewer }))),
      ])
      return { users, groups }
    },
    moves: (ranges) => Promise.all(ranges.map(async (range) => (await moves.load(range)) ?? [])),
  })
}

/** Asks now for what will be wanted soon; anything else is asked for when it is wanted. */
export function prefetchProfiles(
  people: ProfileLoader,
  soon: Wanted,
  by: string | undefined,
): ProfileLoader {
  const found = people.find(soon, by)
  // Nobody may want it after all.
  found.catch(() => undefined)
  return withCachedProfiles(people, soon, by, found)
}

/** Anything but these, who were found already, is asked for. */
export function withCachedProfiles(
  people: ProfileLoader,
  soon: Wanted,
  by: string | undefined,
  found: Promise<Found>,
): ProfileLoader {
  const isFound = ({ uids, guids, blocks }: Wanted) =>
    (soon.blocks || !blocks) &&
    uids.every((uid) => soon.uids.includes(uid)) &&
    guids.every((guid) => soon.guids.includes(guid))
  return {
    find: (wanted, viewer) =>
      viewer === by && isFound(wanted) ? found : people.find(wanted, viewer),
    moves: people.moves,
  }
}

/** Anything but this group, which was found already, is asked for. */
export function withCachedGroup(
  people: ProfileLoader,
  group: GroupRow,
  by: string | undefined,
): ProfileLoader {
  return {
    async find(wanted, viewer) {
      if (viewer !== by || !wanted.guids.includes(group.guid)) return people.find(wanted, viewer)
      const guids = wanted.guids.filter((guid) => guid !== group.guid)
      const { users, groups } = await people.find({ ...wanted, guids }, viewer)
      return { users, groups: [...groups, group] }
    },
    moves: people.moves,
  }
}

/** Users and groups that a page of entries or conversations speaks of, each loaded once. */
export interface Counterparts {
  user(uid: string): User
  group(guid: string): Group | undefined
  /** The same as text, printed once however often they are spoken of. */
  userText(uid: string): string
  groupText(guid: string): string | undefined
}

/** Each is read once, and shown as every view has it. */
export async function loadCounterparts(
  people: ProfileLoader,
  wanted: Wanted,
  viewer: string | undefined,
): Promise<(view: Omit<UserView, 'viewer'>) => Counterparts> {
  const uids = [...new Set(wanted.uids)]
  const guids = [...new Set(wanted.guids)]
  const { users, groups } = await people.find({ ...wanted, uids, guids }, viewer)
  const userOf = new Map(users.map((row) => [row.uid, row]))
  const groupOf = new Map(groups.map((row) => [row.guid, row]))
  return (view) => {
    const shown = counterpartsOf({
      user: (uid) => userOf.get(uid),
      group: (guid) => groupOf.get(guid),
      view: { ...view, viewer },
    })
    const { userText, groupText } = shown
    return { ...shown, userText: remembered(userText), groupText: remembered(groupText) }
  }
}

interface Rows {
  readonly user: (uid: string) => UserRow | undefined
  readonly group: (guid: string) => GroupRow | undefined
  readonly view: UserView
}

/** Each is shown, and printed, as often as it is asked for. */
export function counterpartsOf(rows: Rows): Counterparts {
  const { view } = rows
  const user = (uid: string) => {
    const row = rows.user(uid)
    return row ? shownUser(row, view) : nameAlone(uid)
  }
  const group = (guid: string) => {
    const row = rows.group(guid)
    const shown = row && shownGroup(row, view.withTags)
    return shown && view.members ? { ...shown, hasJoined: true } : shown
  }
  return {
    user,
    group,
    userText: (uid) => JSON.stringify(user(uid)),
    groupText: (guid) => JSON.stringify(group(guid)),
  }
}

/** What all messages of one sender to one receiver have in common. Uids and guids need no escape: the contract allows letters, digits, - and _. */
export interface Between {
  readonly names: string
  readonly entities: string
}

export function serialiseBetween(sender: string, receiver: Receiver, seen: Counterparts): Between {
  const [label, id] =
    receiver.kind === 'group'
      ? [groupConversationId(receiver.guid), receiver.guid]
      : [conversationIdOf(...receiver.uids), otherThan(sender, receiver.uids)]
  const to = receiverEntity(sender, receiver, seen)
  return {
    names:
      `"conversationId":"${label}","sender":"${sender}",` +
      `"receiverType":"${receiver.kind}","receiver":"${id}"`,
    entities: `"entities":{"sender":${userEntity(sender, seen)}${to ? `,"receiver":${to}` : ''}}`,
  }
}

/** It says which conversation it is, the sender does not. Undefined for a group that is gone. */
export function receiverEntity(
  sender: string,
  receiver: Receiver,
  seen: Counterparts,
): string | undefined {
  if (receiver.kind === 'user') {
    const user = seen.userText(otherThan(sender, receiver.uids))
    const label = `"conversationId":"${conversationIdOf(...receiver.uids)}"`
    return `{"entity":${inside(user, [label])},"entityType":"user"}`
  }
  const group = seen.groupText(receiver.guid)
  return group && `{"entity":${group},"entityType":"group"}`
}

export function userEntity(uid: string, seen: Counterparts): string {
  return `{"entity":${seen.userText(uid)},"entityType":"user"}`
}

function remembered<T>(make: (name: string) => T): (name: string) => T {
  let made: Map<string, T> | undefined
  return (name) => {
    const known = made?.get(name) ?? make(name)
    made ??= new Map()
    made.set(name, known)
    return known
  }
}

/** Someone who is gone for ever, whom entries may still name, or whom somebody may not see. */
export function nameAlone(uid: string): User {
  return { uid, name: uid, role: 'default', status: 'offline', createdAt: 0 }
}

/** A group as the interface shows it: what is not set is left out. */
export function shownGroup(row: GroupRow, withTags: boolean | undefined): Group {
  return {
    guid: row.guid,
    name: row.name,
    type: row.type,
    owner: row.owner,
    membersCount: row.membersCount,
    conversationId: groupConversationId(row.guid),
    hasJoined: row.joinedAt !== null,
    createdAt: row.createdAt,
    ...(row.icon !== null && { icon: row.icon }),
    ...(row.description !== null && { description: row.description }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...(withTags && row.tags !== null && { tags: row.tags }),
    ...(row.scope !== null && { scope: row.scope }),
    ...(row.joinedAt !== null && { joinedAt: row.joinedAt }),
    ...(row.updatedAt !== null && { updatedAt: row.updatedAt }),
    ...(row.updatedBy !== null && { updatedBy: row.updatedBy }),
  }
}

export function groupConversationId(guid: string): string {
  return `group_${guid}`
}
