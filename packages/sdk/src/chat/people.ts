import type { Group, Member, OperationInputs, User } from '../contract.generated.ts'
import type { Ask } from '../session/ask.ts'
import { type Live, type LiveList, openLive, openValue } from './live.ts'
import { openPaging, type Page } from './paging.ts'

/** Which users `users.list` lists. */
export type UserQuery = Omit<NonNullable<OperationInputs['listUsers']['query']>, 'page' | 'cursor'>
/** Which groups `groups.list` lists. */
export type GroupQuery = Omit<
  NonNullable<OperationInputs['listGroups']['query']>,
  'page' | 'cursor'
>

/** Whether a user is online. */
export interface Presence {
  /** `available` or `offline`. */
  readonly status: User['status']
  /** When they were last online, in Unix seconds. */
  readonly lastActiveAt?: number
}

/** Reads and blocks users. */
export interface ChatUsers {
  /** One user. */
  get(uid: string): Promise<User>
  /** Users page by page, all or those that match. */
  list(query?: UserQuery): LiveList<User>
  /** From now on neither can write to the other. */
  block(...uids: readonly string[]): Promise<void>
  /** Ends a block. */
  unblock(...uids: readonly string[]): Promise<void>
}

/** Reads, makes, joins and leaves groups. */
export interface ChatGroups {
  /** One group. */
  get(guid: string): Promise<Group>
  /** Groups page by page, all or those that match. */
  list(query?: GroupQuery): LiveList<Group>
  /** Makes a group, whose owner this user is. */
  create(group: Omit<OperationInputs['createGroup']['body'], 'owner'>): Promise<Group>
  /** Becomes a member. Some groups need a password. */
  join(guid: string, password?: string): Promise<void>
  /** Ends the membership. */
  leave(guid: string): Promise<void>
}

interface Rows<T> {
  readonly data: readonly T[]
  readonly meta: { readonly cursor: { readonly next?: string } }
}

/** A list that is read page by page, and anew by `reload`. */
export function openPagedList<T>(
  fetch: (page: { readonly cursor?: string }) => Promise<Rows<T>>,
): LiveList<T> & { reload(): void } {
  let items: readonly T[] = []
  const paging = openPaging<T>({
    async fetch(cursor): Promise<Page<T>> {
      const { data, meta } = await fetch(cursor === undefined ? {} : { cursor })
      return { items: data, next: meta.cursor.next }
    },
    take(page, isFirst) {
      items = isFirst ? page : [...items, ...page]
    },
    onChange: () => live.changed(),
  })
  const live = openLive(
    () => ({ ...paging.state, items }),
    () => paging.start(),
  )
  return {
    ...live,
    loadMore: paging.more,
    reload() {
      if (paging.state.status !== 'idle') void paging.restart().catch(() => undefined)
    },
  }
}

export function membersOf(call: Ask, guid: string) {
  return openPagedList<Member>((page) => call('listMembers', { params: { guid }, query: page }))
}

export function openUsers(call: Ask, uid: () => Promise<string>): ChatUsers {
  return {
    get: async (uid) => (await call('getUser', { params: { uid } })).data,
    list: (query) => openPagedList((page) => call('listUsers', { query: { ...query, ...page } })),
    async block(...blockedUids) {
      await call('blockUsers', { params: { uid: await uid() }, body: { blockedUids } })
    },
    async unblock(...blockedUids) {
      await call('unblockUsers', { params: { uid: await uid() }, body: { blockedUids } })
    },
  }
}

export function openGroups(call: Ask): ChatGroups {
  return {
    get: async (guid) => (await call('getGroup', { params: { guid } })).data,
    list: (query) => openPagedList((page) => call('listGroups', { query: { ...query, ...page } })),
    create: async (body) => (await call('createGroup', { body })).data,
    async join(guid, password) {
      // Who names nobody adds themselves.
      const body = password === undefined ? {} : { password }
      await call('addMembers', { params: { guid }, body })
    },
    async leave(guid) {
      await call('leaveGroup', { params: { guid } })
    },
  }
}

export interface PresenceBook {
  of(uid: string): Live<Presence | undefined>
  hear(uid: string, presence: Presence): void
  /** Who came and went while there was no connection, nobody told this device. */
  readAll(): void
}

type PresenceValue = ReturnType<typeof openValue<Presence | undefined>>

const maxAsked = 100

/** Who is online. Users of whom somebody asks in the same turn are read together. */
export function openPresence(call: Ask, onError: (error: unknown) => void): PresenceBook {
  const values = new Map<string, PresenceValue>()
  const asked = new Set<string>()

  function ask(uid: string): void {
    if (asked.size === 0) void Promise.resolve().then(readAsked)
    asked.add(uid)
  }

  function readAsked(): void {
    const all = [...asked]
    asked.clear()
    for (let from = 0; from < all.length; from += maxAsked) {
      read(all.slice(from, from + maxAsked)).catch(onError)
    }
  }

  async function read(uids: readonly string[]): Promise<void> {
    const { data } = await call('listUsers', { query: { uids, perPage: maxAsked } })
    for (const user of data) set(user.uid, user)
  }

  function set(uid: string, { status, lastActiveAt }: Presence): void {
    const value = values.get(uid)
    const before = value?.getSnapshot()
    if (before?.status === status && before.lastActiveAt === lastActiveAt) return
    value?.set({ status, ...(lastActiveAt !== undefined && { lastActiveAt }) })
  }

  return {
    of(uid) {
      const known = values.get(uid) ?? openValue<Presence | undefined>(undefined, () => ask(uid))
      values.set(uid, known)
      return known
    },
    hear: set,
    readAll() {
      for (const [uid, value] of values) if (value.getSnapshot()) ask(uid)
    },
  }
}
