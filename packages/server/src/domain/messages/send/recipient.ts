import { getHeapStatistics } from 'node:v8'
import { type AppCache, bytesOf, openAppCache } from '../../../limits/app-cache.ts'
import type { ConversationKey, Profiles } from '../../../outbox/committed.ts'
import type { Caller } from '../../../pipeline/caller.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { Expected, Seen } from '../../log/index.ts'
import type { UserRow } from '../../users/index.ts'
import {
  type Found,
  type GroupRow,
  type ProfileLoader,
  withCachedProfiles,
} from '../../views/index.ts'
import type { Outgoing } from './content.ts'
import type { GroupTarget, Targets, UserTarget } from './targets.sql.ts'

/** Where receivers are looked up, and those whom an answer shows. */
export interface Directory {
  readonly targets: Targets
  readonly people: (appId: string) => ProfileLoader
  /** By sender and receiver. */
  readonly remembered: AppCache<Remembered>
  /** By uid: whoever writes to many takes their room once. */
  readonly users: AppCache<RememberedUser>
}

/** Of the memory that this process may take, so much each is for receivers and for users. */
const shareOfMemory = 1 / 32
/** About, with its place in the cache and without its group. */
const bytesOfReceiver = 650

export function openDirectory(
  targets: Targets,
  people: Directory['people'],
  maxBytes = getHeapStatistics().heap_size_limit * shareOfMemory,
): Directory {
  return {
    targets,
    people,
    remembered: openAppCache(maxBytes, ({ bytes }) => bytes),
    users: openAppCache(maxBytes, ({ bytes }) => bytes),
  }
}

/** Whom a message goes to; what was found of them, if they are there. */
interface Target {
  readonly receiver: Receiver
  readonly user?: UserTarget | undefined
  readonly group?: GroupTarget | undefined
  /** Undefined: the two have never written. */
  readonly conversation: ConversationKey | undefined
}

/** As it was last looked up, with the versions that it stands on. */
interface Remembered {
  readonly target: Omit<Target, 'receiver'>
  /** Whom the answer shows. Their rows are kept once for all to whom they write. */
  readonly users: readonly UserVersion[]
  readonly groups: readonly GroupRow[]
  readonly expectedGroup: Expected['group']
  readonly bytes: number
}

interface UserVersion {
  readonly uid: string
  readonly version: number
}

interface RememberedUser {
  readonly row: UserRow
  readonly bytes: number
}

export interface Recipient extends Target {
  /** What must still hold for the message to be appended; undefined: nothing was remembered. */
  readonly expected: Expected | undefined
  /** Has those whom the answer shows, or soon has them. */
  profiles(): ProfileLoader
  /** The same once the message is appended. */
  profilesAfter(seen: Seen | undefined): ProfileLoader
  /** They themselves; undefined: they have to be looked up. */
  foundAfter(seen: Seen | undefined): Found | undefined
  /** What of it goes to gateways with the message; undefined: they look it up. */
  published(seen: Seen | undefined): Profiles | undefined
}

/** A step of a send: what must be known of whom it goes to. */
export function resolveRecipient(
  directory: Directory,
  message: Outgoing,
): Recipient | Promise<Recipient> {
  const { ctx, sender, to } = message
  const name = `${sender.uid} ${to.type} ${to.id}`
  const known = ctx.recalled ? recall(directory, ctx.db.appId, name) : undefined
  return known ? new RecalledRecipient(directory, message, known) : lookUp(directory, message, name)
}

/** What is known of a receiver before a send asks. */
interface Recalled extends Pick<Remembered, 'target' | 'expectedGroup'> {
  readonly found: Found
}

/** Undefined: it has to be looked up, because of a user who is shown and not remembered as they were. */
function recall(directory: Directory, appId: string, name: string): Recalled | undefined {
  const known = directory.remembered.get(appId, name)
  if (!known) return undefined
  const { target, expectedGroup, groups } = known
  const users: UserRow[] = []
  for (const { uid, version } of known.users) {
    const row = directory.users.get(appId, uid)?.row
    if (row?.rowVersion !== version) return undefined
    users.push(row)
  }
  return { target, expectedGroup, found: { users, groups } }
}

function remember(directory: Directory, appId: string, name: string, value: Recalled): void {
  const { target, expectedGroup, found } = value
  const { groups } = found
  const users = found.users.map(({ uid, rowVersion }) => ({ uid, version: rowVersion }))
  const bytes = groups.reduce((sum, row) => sum + bytesOf(row), bytesOfReceiver)
  directory.remembered.set(appId, name, { target, users, groups, expectedGroup, bytes })
  for (const row of found.users) {
    if (directory.users.get(appId, row.uid)?.row.rowVersion === row.rowVersion) continue
    directory.users.set(appId, row.uid, { row, bytes: bytesOf(row) })
  }
}

async function lookUp(directory: Directory, message: Outgoing, name: string): Promise<Recipient> {
  const { ctx, to } = message
  const { appId } = ctx.db
  directory.remembered.delete(appId, name)
  const ask = to.type === 'group' ? lookUpGroup : lookUpUser
  const { target, profiles, found } = await ask(directory, message, (value) =>
    remember(directory, appId, name, value),
  )
  return {
    receiver: receiverOf(message),
    ...target,
    expected: ctx.recalled ? expectedBy(ctx.caller) : undefined,
    profiles: () => profiles,
    profilesAfter: () => profiles,
    foundAfter: () => found,
    published: () => found,
  }
}

interface LookedUp {
  readonly target: Remembered['target']
  readonly profiles: ProfileLoader
  /** Undefined: they may still be on their way. */
  readonly found?: Found
}

async function lookUpUser(
  { targets, people }: Directory,
  { ctx, sender: { uid }, to }: Outgoing,
  remember: (value: Recalled) => void,
): Promise<LookedUp> {
  const { appId } = ctx.db
  const asked = await targets.user({ appId, sender: uid, receiver: to.id })
  const found = { users: asked?.both ?? [], groups: [] }
  const target = { user: asked?.target, conversation: asked?.conversation }
  if (target.conversation) remember({ target, found, expectedGroup: undefined })
  const known = { uids: [uid, to.id], guids: [], blocks: false }
  const answer = Promise.resolve(found)
  const profiles = withCachedProfiles(people(appId), known, ctx.actor?.uid, answer)
  return { target, profiles, found }
}

async function lookUpGroup(
  { targets, people }: Directory,
  { ctx, sender: { uid }, to, content }: Outgoing,
  remember: (value: Recalled) => void,
): Promise<LookedUp> {
  const { appId } = ctx.db
  const soon = { uids: [uid, ...content.mentions], guids: [to.id], blocks: false }
  const asked = people(appId).find(soon, ctx.actor?.uid)
  // Whoever needs them hears of it.
  asked.catch(() => undefined)
  const group = await targets.group({ appId, sender: uid, guid: to.id })
  const target = { group, conversation: group }
  const profiles = withCachedProfiles(people(appId), soon, ctx.actor?.uid, asked)
  if (group) {
    asked.then(
      (found) => rememberGroup(uid, target, group, found, remember),
      () => undefined,
    )
  }
  return { target, profiles }
}

/** Two statements have read it: the older version stands for both. */
function rememberGroup(
  uid: string,
  target: Remembered['target'],
  { version, scope: scopeOfSender }: GroupTarget,
  { users, groups: [row] }: Found,
  remember: (value: Recalled) => void,
): void {
  if (!row) return
  const { guid, scope, joinedAt } = row
  const membership = scope !== null && joinedAt !== null ? { scope, joinedAt } : undefined
  // Somebody came or went between the two.
  if (membership && scope !== scopeOfSender) return
  const expectedGroup = { guid, version: Math.min(version, row.rowVersion), membership }
  const found = { users: users.filter((user) => user.uid === uid), groups: [row] }
  remember({ target, found, expectedGroup })
}

class RecalledRecipient implements Recipient {
  readonly receiver: Receiver
  readonly user: UserTarget | undefined
  readonly group: GroupTarget | undefined
  readonly conversation: ConversationKey | undefined
  readonly expected: Expected
  readonly #directory: Directory
  readonly #message: Outgoing
  readonly #found: Found
  #after: Found | undefined

  constructor(directory: Directory, message: Outgoing, recalled: Recalled) {
    const { target, found } = recalled
    this.receiver = receiverOf(message)
    this.user = target.user
    this.group = target.group
    this.conversation = target.conversation
    this.expected = expectedOf(message, recalled)
    this.#directory = directory
    this.#message = message
    this.#found = found
  }

  profiles(): ProfileLoader {
    return this.#profilesOf(this.#found)
  }

  profilesAfter(seen: Seen | undefined): ProfileLoader {
    const found = this.foundAfter(seen)
    const { ctx } = this.#message
    return found ? this.#profilesOf(found) : this.#directory.people(ctx.db.appId)
  }

  foundAfter(seen: Seen | undefined): Found | undefined {
    if (seen) this.#after ??= asSeen(this.#found, this.#message.sender.uid, seen)
    return this.#after
  }

  published(seen: Seen | undefined): Profiles | undefined {
    const found = this.foundAfter(seen)
    return found && withoutViewer(found)
  }

  #profilesOf(rows: Found): ProfileLoader {
    const { ctx, sender, to } = this.#message
    const isGroup = to.type === 'group'
    const uids = isGroup ? [sender.uid] : [sender.uid, to.id]
    const known = { uids, guids: isGroup ? [to.id] : [], blocks: false }
    const people = this.#directory.people(ctx.db.appId)
    return withCachedProfiles(people, known, ctx.actor?.uid, Promise.resolve(rows))
  }
}

function receiverOf({ sender, to }: Outgoing): Receiver {
  return to.type === 'group'
    ? { kind: 'group', guid: to.id }
    : { kind: 'user', uids: [sender.uid, to.id] }
}

function expectedOf(
  { ctx, sender, to }: Outgoing,
  { found: { users }, expectedGroup }: Recalled,
): Expected {
  const expected = expectedBy(ctx.caller, versionOf(users, sender.uid))
  const version = to.type === 'group' ? undefined : versionOf(users, to.id)
  const receiver = version === undefined ? undefined : { uid: to.id, version }
  return Object.assign(expected, { receiver, group: expectedGroup })
}

function expectedBy(caller: Caller, readLater = Infinity): Expected {
  if (!('versions' in caller)) throw new Error('Operators and collaborators send no message.')
  const { app, actor = Infinity } = caller.versions
  const sender = Math.min(actor, readLater)
  return { appVersion: app, senderVersion: sender === Infinity ? undefined : sender }
}

function asSeen({ users, groups }: Found, sender: string, seen: Seen): Found {
  return {
    users: users.map((row) => {
      const { online, lastActiveAt } = row.uid === sender ? seen.sender : seen.receiver
      return { ...row, online, lastActiveAt }
    }),
    groups: groups.map((row) => ({ ...row, membersCount: seen.membersCount ?? row.membersCount })),
  }
}

/** Groups as nobody in particular sees them. */
function withoutViewer({ users, groups }: Found): Found {
  if (groups.length === 0) return { users, groups }
  return { users, groups: groups.map((row) => ({ ...row, scope: null, joinedAt: null })) }
}

function versionOf(rows: readonly UserRow[], uid: string): number | undefined {
  return rows.find((row) => row.uid === uid)?.rowVersion
}
