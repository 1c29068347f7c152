import { differencesOf, isSame, type LeftFiles } from './files/file-forms.ts'
import { differingIn, groupForm, textOf, unreadForm, userForm } from './forms.ts'
import type { ListedConversation, ListedMessage } from './listed.ts'
import { ahead, conversationsOf, groupsOf, messagesOf, usersOf, type Walked } from './lists.ts'
import { standingsIn } from './members.ts'
import { Refused, type Side } from './side.ts'
import { type Difference, Spool } from './spool.ts'

export interface Comparing {
  readonly from: Side
  readonly to: Side
  /** A file for what is compared; it is deleted at the end. */
  readonly spool: string
  readonly kinds: readonly Kind[]
  /** Undefined: files stay where they are. */
  readonly files?: LeftFiles | undefined
  found(difference: Difference): void
  progress(kind: Kind, count: number): void
}

export const kinds = ['users', 'groups', 'members', 'messages', 'order', 'unread'] as const
export type Kind = (typeof kinds)[number]

export interface Comparison {
  /** Items of the old side. */
  readonly compared: number
  readonly differing: number
}

/** Compares everything on both sides, and names what differs. */
export async function compareSides(comparing: Comparing): Promise<Comparison> {
  using spool = new Spool(comparing.spool)
  let compared = 0
  let differing = 0
  for (const kind of comparing.kinds) {
    const { count, differences } = await comparers[kind](comparing, spool)
    for await (const difference of differences) {
      if (await isGone(comparing, difference)) continue
      differing += 1
      comparing.found(difference)
    }
    compared += count()
    comparing.progress(kind, compared)
  }
  return { compared, differing }
}

interface Compared {
  /** Known when all differences were taken. */
  count(): number
  readonly differences: AsyncIterable<Difference>
}

type Comparer = (comparing: Comparing, spool: Spool) => Promise<Compared>

const comparers: Readonly<Record<Kind, Comparer>> = {
  users: spooled(
    'users',
    (side) => usersOf(side),
    ({ uid }) => uid,
    userForm,
  ),
  groups: spooled(
    'groups',
    (side) => groupsOf(side),
    ({ guid }) => guid,
    groupForm,
  ),
  unread: spooled('unread', (side) => conversationsOf(side), readerOf, unreadForm),
  members: compareMembers,
  messages: compareMessages,
  order: compareOrder,
}

function readerOf({ uid = '', conversationId }: ListedConversation): string {
  return `${uid} ${conversationId}`
}

function spooled<T>(
  kind: Kind,
  pagesOf: (side: Side) => AsyncGenerator<Walked<T>>,
  idOf: (item: T) => string,
  formOf: (item: T) => object,
): Comparer {
  async function* formsOf(side: Side) {
    for await (const { items } of ahead(pagesOf(side))) {
      yield items.map((item) => [idOf(item), textOf(formOf(item))] as const)
    }
  }
  return async ({ from, to }, spool) => {
    const count = await spool.put(formsOf(from))
    return { count: () => count, differences: spool.take(kind, formsOf(to)) }
  }
}

const groupsAtOnce = 8

async function compareMembers({ from, to }: Comparing): Promise<Compared> {
  let count = 0
  async function* differences(): AsyncGenerator<Difference> {
    for await (const { items } of groupsOf(from)) {
      for (let at = 0; at < items.length; at += groupsAtOnce) {
        const together = items.slice(at, at + groupsAtOnce)
        const found = await Promise.all(together.map(({ guid }) => membersIn(from, to, guid)))
        for (const one of found) {
          count += one.count
          yield* one.differences
        }
      }
    }
  }
  return { count: () => count, differences: differences() }
}

export async function membersIn(from: Side, to: Side, guid: string) {
  const [before, after] = await Promise.all([standingsIn(from, guid), standingsIn(to, guid)])
  const differences: Difference[] = []
  const textIn = (one: { readonly is: object } | undefined) => one && textOf(one.is)
  for (const uid of new Set([...before.keys(), ...after.keys()])) {
    const [old, fresh] = [before.get(uid), after.get(uid)]
    const difference = differenceOf('members', `${guid} ${uid}`, textIn(old), textIn(fresh))
    if (difference) differences.push(difference)
  }
  return { count: before.size, differences }
}

/** Both lists come in the order of ids. */
async function compareMessages(comparing: Comparing, spool: Spool): Promise<Compared> {
  const { from, to, files, progress } = comparing
  let count = 0
  async function* differences(): AsyncGenerator<Difference> {
    const [before, after] = [oneByOne(from, spool), oneByOne(to)]
    let [old, fresh] = [await before.next(), await after.next()]
    while (!old.done || !fresh.done) {
      const oldId = old.done ? Infinity : Number(old.value.id)
      const freshId = fresh.done ? Infinity : Number(fresh.value.id)
      yield* differencesOf(
        old.done || freshId < oldId ? undefined : old.value,
        fresh.done || oldId < freshId ? undefined : fresh.value,
        files,
      )
      if (!old.done && oldId <= freshId) {
        count += 1
        if (count % 10_000 === 0) progress('messages', count)
        old = await before.next()
      }
      if (!fresh.done && freshId <= oldId) fresh = await after.next()
    }
  }
  return { count: () => count, differences: differences() }
}

/** The names of their conversations are kept: the order in each is compared later. */
async function* oneByOne(side: Side, spool?: Spool): AsyncGenerator<ListedMessage> {
  for await (const page of ahead(messagesOf(side))) {
    spool?.name(page.map(({ conversationId }) => conversationId))
    yield* page
  }
}

const conversationsAtOnce = 8

/** In each conversation, messages that both sides have follow each other in one order. */
async function compareOrder({ from, to, kinds, progress }: Comparing, spool: Spool) {
  if (!kinds.includes('messages')) {
    for await (const _ of oneByOne(from, spool));
  }
  let count = 0
  async function* differences(): AsyncGenerator<Difference> {
    for (const ids of spool.named()) {
      for (let at = 0; at < ids.length; at += conversationsAtOnce) {
        const together = ids.slice(at, at + conversationsAtOnce)
        const found = await Promise.all(together.map((id) => orderOf(from, to, id)))
        yield* found.filter((one) => one !== undefined)
      }
      count += ids.length
      progress('order', count)
    }
  }
  return { count: () => count, differences: differences() }
}

async function orderOf(from: Side, to: Side, id: string): Promise<Difference | undefined> {
  const [before, after] = await Promise.all([idsIn(from, id), idsIn(to, id)])
  const [there, here] = [new Set(before), new Set(after)]
  const old = before.filter((one) => here.has(one))
  const fresh = after.filter((one) => there.has(one))
  const at = old.findIndex((one, place) => one !== fresh[place])
  return at < 0 ? undefined : { kind: 'order', id, what: 'differs', fields: [`${old[at]}`] }
}

const notThere = 'ERR_CONVERSATION_NOT_ACCESSIBLE'

async function idsIn(side: Side, conversationId: string): Promise<number[]> {
  const ids: number[] = []
  try {
    for await (const page of messagesOf(side, { sentAt: 1 }, { conversationId })) {
      for (const { id } of page) ids.push(Number(id))
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== notThere) throw error
  }
  return ids
}

export function differenceOf(
  kind: string,
  id: string,
  before: string | undefined,
  after: string | undefined,
): Difference | undefined {
  if (before === after) return undefined
  if (after === undefined) return { kind, id, what: 'missing' }
  if (before === undefined) return { kind, id, what: 'extra' }
  return { kind, id, what: 'differs', fields: differingIn(before, after) }
}

/** Of a message: it changed, or came, while the lists were read. */
async function isGone({ from, to }: Comparing, { kind, id }: Difference): Promise<boolean> {
  if (kind !== 'messages') return false
  const [before, after] = await Promise.all([findMessage(from, id), findMessage(to, id)])
  return before && after ? isSame(before, after) : before === after
}

async function findMessage(side: Side, id: string): Promise<ListedMessage | undefined> {
  try {
    return (await side.get<{ data: ListedMessage }>(`/messages/${id}`)).data
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}
