import {
  differingIn,
  groupForm,
  memberForm,
  messageForm,
  textOf,
  unreadForm,
  userForm,
} from './forms.ts'
import type { ListedConversation, ListedMessage } from './listed.ts'
import {
  ahead,
  allOf,
  bannedOf,
  conversationsOf,
  groupsOf,
  membersOf,
  messagesOf,
  usersOf,
  type Walked,
} from './lists.ts'
import { Refused, type Side } from './side.ts'
import { type Difference, Spool } from './spool.ts'

export interface Comparing {
  readonly from: Side
  readonly to: Side
  /** A file for what is compared; it is deleted at the end. */
  readonly spool: string
  readonly kinds: readonly Kind[]
  found(difference: Difference): void
  progress(kind: Kind, count: number): void
}

export const kinds = ['users', 'groups', 'members', 'messages', 'unread'] as const
type Kind = (typeof kinds)[number]

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

async function compareMembers({ from, to }: Comparing): Promise<Compared> {
  let count = 0
  async function* differences(): AsyncGenerator<Difference> {
    for await (const { items } of groupsOf(from)) {
      for (const { guid } of items) {
        const [before, after] = await Promise.all([
          formsOfMembers(from, guid),
          formsOfMembers(to, guid),
        ])
        count += before.size
        for (const id of new Set([...before.keys(), ...after.keys()])) {
          const difference = differenceOf('members', id, before.get(id), after.get(id))
          if (difference) yield difference
        }
      }
    }
  }
  return { count: () => count, differences: differences() }
}

async function formsOfMembers(side: Side, guid: string): Promise<Map<string, string>> {
  const forms = new Map<string, string>()
  try {
    for (const member of await allOf(membersOf(side, guid))) {
      forms.set(`${guid} ${member.uid}`, textOf(memberForm(member)))
    }
    for (const { uid } of await allOf(bannedOf(side, guid))) {
      forms.set(`${guid} ${uid}`, textOf({ banned: true }))
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error
  }
  return forms
}

/** Both lists come in the order of ids. */
async function compareMessages({ from, to, progress }: Comparing): Promise<Compared> {
  let count = 0
  async function* differences(): AsyncGenerator<Difference> {
    const [before, after] = [oneByOne(from), oneByOne(to)]
    let [old, fresh] = [await before.next(), await after.next()]
    while (!old.done || !fresh.done) {
      const oldId = old.done ? Infinity : Number(old.value.id)
      const freshId = fresh.done ? Infinity : Number(fresh.value.id)
      const difference = differenceOf(
        'messages',
        String(Math.min(oldId, freshId)),
        old.done || freshId < oldId ? undefined : textOf(messageForm(old.value)),
        fresh.done || oldId < freshId ? undefined : textOf(messageForm(fresh.value)),
      )
      if (difference) yield difference
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

async function* oneByOne(side: Side): AsyncGenerator<ListedMessage> {
  for await (const page of ahead(messagesOf(side))) yield* page
}

function differenceOf(
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
  const [before, after] = await Promise.all([formOfMessage(from, id), formOfMessage(to, id)])
  return before === after
}

async function formOfMessage(side: Side, id: string): Promise<string | undefined> {
  try {
    const { data } = await side.get<{ data: ListedMessage }>(`/messages/${id}`)
    return textOf(messageForm(data))
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}
