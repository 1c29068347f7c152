import { type Comparing, type Comparison, differenceOf, type Kind, membersIn } from './compare.ts'
import { differencesOf } from './files/file-forms.ts'
import { type Form, groupForm, textOf, unreadForm, userForm } from './forms.ts'
import type { ListedConversation, ListedGroup, ListedMessage, ListedUser } from './listed.ts'
import { messagesOf, someOf } from './lists.ts'
import { messagesBeside } from './messages.ts'
import { Refused, type Side } from './side.ts'
import type { Difference } from './spool.ts'

type Sides = Pick<Comparing, 'from' | 'to' | 'files'>
type Sampled = readonly (Difference | undefined)[]
type Sampler = (sides: Sides, wanted: number) => AsyncGenerator<Sampled>

/** Compares so many items of each kind, taken by chance on the old side: far fewer calls than all. */
export async function compareSample(comparing: Comparing, wanted: number): Promise<Comparison> {
  let compared = 0
  let differing = 0
  for (const kind of comparing.kinds) {
    const sampler = samplers[kind]
    if (!sampler) continue
    for await (const sampled of sampler(comparing, wanted)) {
      compared += sampled.length
      for (const difference of sampled) {
        if (!difference) continue
        differing += 1
        comparing.found(difference)
      }
      comparing.progress(kind, compared)
    }
  }
  return { compared, differing }
}

const tagged = { withTags: true }

const samplers: Readonly<Partial<Record<Kind, Sampler>>> = {
  async *users({ from, to }, wanted) {
    for await (const page of someOf<ListedUser>(from, '/users', tagged, wanted)) {
      yield await lookUp('users', page, to, ({ uid }) => [uid, `/users/${uid}`], userForm)
    }
  },
  async *groups({ from, to }, wanted) {
    for await (const page of someOf<ListedGroup>(from, '/groups', tagged, wanted)) {
      yield await lookUp('groups', page, to, ({ guid }) => [guid, `/groups/${guid}`], groupForm)
    }
  },
  async *members({ from, to }, wanted) {
    for await (const page of someOf<ListedGroup>(from, '/groups', {}, wanted / 10)) {
      for (const { guid } of page) {
        const { count, differences } = await membersIn(from, to, guid)
        yield [...differences, ...same(count - differences.length)]
      }
    }
  },
  async *messages({ from, to, files }, wanted) {
    const edges = await Promise.all(['append', 'prepend'].map((affix) => edgeOf(from, affix)))
    const [first = 1, last = 1] = edges
    for (let seen = 0; seen < wanted; ) {
      const sentAt = Math.max(1, Math.floor(first + Math.random() * (last - first)))
      const page = await pageAt(from, sentAt)
      if (page.length === 0) return
      seen += page.length
      const stored = await messagesBeside(to, page)
      yield page.flatMap((one) => {
        const found = differencesOf(one, stored.get(one.id), files)
        return found.length > 0 ? found : [undefined]
      })
    }
  },
  async *unread({ from, to }, wanted) {
    const query = { includeBlockedUsers: true }
    for await (const page of someOf<ListedConversation>(from, '/conversations', query, wanted)) {
      yield await lookUp('unread', page, to, addressOf, unreadForm)
    }
  },
}

function same(count: number): undefined[] {
  return Array.from({ length: Math.max(0, count) }, () => undefined)
}

function addressOf(listed: ListedConversation): [id: string, path: string, uid: string] {
  const { uid = '', conversationId, conversationWith } = listed
  const { guid, uid: other } = conversationWith
  const path = guid === undefined ? `/users/${other}` : `/groups/${guid}`
  return [`${uid} ${conversationId}`, `${path}/conversation`, uid]
}

async function lookUp<T>(
  kind: string,
  page: readonly T[],
  to: Side,
  addressOf: (item: T) => readonly [id: string, path: string, onBehalfOf?: string],
  formOf: (item: T) => Form,
): Promise<Sampled> {
  return Promise.all(
    page.map(async (item) => {
      const [id, path, onBehalfOf] = addressOf(item)
      const found = await orNothing(to.get<{ data: T | readonly T[] }>(path, {}, onBehalfOf))
      const [stored] = [found?.data ?? []].flat() as T[]
      return differenceOf(kind, id, textOf(formOf(item)), stored && textOf(formOf(stored)))
    }),
  )
}

async function orNothing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return undefined
    throw error
  }
}

async function edgeOf(side: Side, affix: string): Promise<number | undefined> {
  const query = { affix, limit: 1, ...(affix === 'append' && { sentAt: 1 }) }
  const { data } = await side.get<{ data: readonly ListedMessage[] }>('/messages', query)
  return data[0]?.sentAt
}

async function pageAt(side: Side, sentAt: number): Promise<readonly ListedMessage[]> {
  for await (const page of messagesOf(side, { sentAt })) return page
  return []
}
