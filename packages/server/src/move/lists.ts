import type {
  ListedConversation,
  ListedGroup,
  ListedMember,
  ListedMessage,
  ListedUser,
} from './listed.ts'
import type { Query, Side } from './side.ts'

/** Where a walk through a list has come to, so that it can go on there. */
export interface Place {
  readonly page: number
  /** Of services that have one. */
  readonly cursor?: string
}

interface Page<T> {
  readonly data: readonly T[]
  readonly meta?: {
    readonly cursor?: { readonly next?: string }
    readonly pagination?: {
      readonly per_page?: number | string
      readonly total_pages?: number
    }
    readonly current?: { readonly limit?: number | string }
  }
}

export interface Walked<T> {
  readonly items: readonly T[]
  /** Behind these. */
  readonly next: Place
}

const perPage = 1000

/** Nothing lies behind it. A service may give fewer than it was asked for, and says how many. */
function isLast({ data, meta }: Page<unknown>): boolean {
  const given = meta?.pagination?.per_page ?? meta?.current?.limit ?? perPage
  return data.length < Math.min(perPage, Number(given) || perPage)
}

/** The pages of a list, by cursor where there is one, else by number. */
export async function* pagesOf<T>(
  side: Side,
  path: string,
  query: Query,
  from: Place = { page: 1 },
  onBehalfOf?: string,
): AsyncGenerator<Walked<T>> {
  for (let place = from; ; ) {
    const { cursor, page } = place
    const where = cursor === undefined ? { page } : { cursor }
    const answer = await side.get<Page<T>>(path, { ...query, perPage, ...where }, onBehalfOf)
    const { data, meta } = answer
    const next = meta?.cursor?.next
    place = { page: page + 1, ...(next !== undefined && { cursor: next }) }
    if (data.length > 0) yield { items: data, next: place }
    if (isLast(answer)) return
  }
}

export function usersOf(side: Side, from?: Place) {
  return pagesOf<ListedUser>(side, '/users', { withTags: true, withDeactivated: true }, from)
}

export function groupsOf(side: Side, from?: Place) {
  return pagesOf<ListedGroup>(side, '/groups', { withTags: true }, from)
}

export function membersOf(side: Side, guid: string) {
  return pagesOf<ListedMember>(side, `/groups/${guid}/members`, {})
}

export function bannedOf(side: Side, guid: string) {
  return pagesOf<ListedUser>(side, `/groups/${guid}/bannedusers`, {})
}

const ofAll = { includeBlockedUsers: true, withTags: true }

export function conversationsOf(side: Side, from?: Place) {
  return pagesOf<ListedConversation>(side, '/conversations', ofAll, from)
}

/** Messages of the whole app, or of a conversation, behind an id or a time, in their order. */
export async function* messagesOf(
  side: Side,
  after: { readonly id: string } | { readonly sentAt: number } = { sentAt: 1 },
  only: Query = {},
  onBehalfOf?: string,
): AsyncGenerator<readonly ListedMessage[]> {
  const query = { ...only, affix: 'append', limit: perPage, withTags: true } as const
  for (let from = after; ; ) {
    const asked = { ...query, ...from }
    const answer = await side.get<Page<ListedMessage>>('/messages', asked, onBehalfOf)
    if (answer.data.length > 0) yield answer.data
    if (isLast(answer)) return
    const last = answer.data.at(-1)
    if (!last) return
    from = { id: last.id }
  }
}

const perSample = 100

/** Some pages of a list by chance, until there are so many items. */
export async function* someOf<T>(
  side: Side,
  path: string,
  query: Readonly<Record<string, string | boolean>>,
  wanted: number,
): AsyncGenerator<readonly T[]> {
  const page = (number: number) =>
    side.get<Page<T>>(path, { ...query, perPage: perSample, page: number })
  const { data, meta } = await page(1)
  const pages = Math.max(1, meta?.pagination?.total_pages ?? 1)
  const chosen = new Set<number>()
  const most = Math.min(pages, Math.ceil(wanted / perSample))
  while (chosen.size < most) chosen.add(1 + Math.floor(Math.random() * pages))
  for (const number of chosen) yield number === 1 ? data : (await page(number)).data
}

/** All that a walk yields. */
export async function allOf<T>(pages: AsyncIterable<Walked<T>>): Promise<T[]> {
  const all: T[] = []
  for await (const { items } of pages) all.push(...items)
  return all
}

/** The next is read while the last is worked on. */
export async function* ahead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = pages.next()
  for (;;) {
    const { done, value } = await next
    if (done) return
    next = pages.next()
    // Whoever waits for it is told; meanwhile nobody does.
    next.catch(() => undefined)
    yield value
  }
}
