import type { ListedConversation, ListedGroup, ListedMessage, ListedUser } from '../move/listed.ts'
import { ahead, messagesOf, pagesOf } from '../move/lists.ts'
import { reactionsOf } from '../move/messages.ts'
import { systemUid, userDetails } from '../move/people.ts'
import type { Query, Side } from '../move/side.ts'
import { PlainError } from '../plain-error.ts'
import { conversationItem, groupItem, messagePages } from './app-steps.ts'
import type { Item, Kind } from './format.ts'
import type { StepPlace } from './manifest.ts'
import { memberItem } from './members.ts'
import type { Pages, Source, Step } from './steps.ts'

/** All that is stored of one user, for a person who asks for it. */
export function userSteps(uid: string): readonly Step[] {
  if (uid === systemUid) throw new PlainError(`--user: ${systemUid} is the app itself.`)
  return [
    { name: 'profile', pages: (source) => profile(source, uid) },
    { name: 'friends', pages: ({ from }) => relations(from, 'friend', `/users/${uid}/friends`) },
    {
      name: 'blocked',
      pages: ({ from }) => relations(from, 'blocked', `/users/${uid}/blockedusers`),
    },
    { name: 'groups', pages: (source) => groupsOfUser(source, uid) },
    {
      name: 'one-to-one',
      pages: (source, place) => messagePages(source, place, { receiverType: 'user' }, nothing, uid),
    },
    {
      name: 'in groups',
      pages: (source, place) =>
        messagePages(source, place, { receiverType: 'group', sender: uid }, nothing),
    },
    { name: 'edits', pages: (source, place) => edits(source, place, uid) },
    { name: 'mentions', pages: (source, place) => mentions(source, place, uid) },
    { name: 'reactions', pages: (source, place) => reactions(source, place, uid) },
    { name: 'conversations', pages: (source) => conversations(source, uid) },
  ]
}

const nothing = () => ({})

interface Some {
  readonly data: object
}

async function* profile({ from }: Source, uid: string): AsyncGenerator<Pages> {
  const { data: user } = await from.get<{ data: ListedUser }>(`/users/${uid}`, { withTags: true })
  const of = '/notifications/v1'
  const { data: contactDetails } = await from.get<Some>(`${of}/contact-details`, {}, uid)
  const { data: preferences } = await from.get<Some>(`${of}/preferences`, { uid })
  const items: Item[] = [
    { kind: 'user', item: userDetails(user) },
    { kind: 'account', item: { contactDetails, preferences } },
  ]
  yield { items, next: {} }
}

async function* relations(from: Side, kind: Kind, path: string): AsyncGenerator<Pages> {
  for await (const { items } of pagesOf<ListedUser>(from, path, {})) {
    yield { items: items.map(({ uid, name }) => ({ kind, item: { uid, name } })) }
  }
  yield { items: [], next: {} }
}

async function* groupsOfUser({ from }: Source, uid: string): AsyncGenerator<Pages> {
  type Joined = ListedGroup & { readonly scope?: string; readonly joinedAt?: number }
  const query = { hasJoined: true, withTags: true }
  for await (const { items } of pagesOf<Joined>(from, '/groups', query, undefined, uid)) {
    const lines = items.flatMap((group) => {
      const { guid, scope, joinedAt } = group
      return [groupItem(group), memberItem(guid, uid, { scope, joinedAt })]
    })
    yield { items: lines }
  }
  yield { items: [], next: {} }
}

/** Messages up to the mark, each made into some lines. */
async function* walk(
  { from, upTo }: Source,
  place: StepPlace | undefined,
  only: Query,
  onBehalfOf: string | undefined,
  linesOf: (message: ListedMessage) => Promise<Item[]>,
): AsyncGenerator<Pages> {
  const after = place?.lastId === undefined ? undefined : { id: place.lastId }
  for await (const page of ahead(messagesOf(from, after, only, onBehalfOf))) {
    const known = page.filter(({ id }) => Number(id) <= Number(upTo))
    const lastId = known.at(-1)?.id
    if (lastId === undefined) return
    yield { items: (await Promise.all(known.map(linesOf))).flat(), next: { lastId } }
  }
}

/** What their messages said before they were edited. */
function edits(source: Source, place: StepPlace | undefined, uid: string) {
  return walk(source, place, { sender: uid }, undefined, async ({ id, editedAt }) => {
    if (editedAt === undefined) return []
    const path = `/messages/${id}/edits`
    const { data } = await source.from.get<{ data: readonly object[] }>(path, { limit: 100 })
    return data.map((item) => ({ kind: 'edit', item }))
  })
}

/** Messages of others that name the user. */
function mentions(source: Source, place: StepPlace | undefined, uid: string) {
  return walk(source, place, { mentionedUids: uid }, undefined, async (message) => {
    const { id, conversationId, sender, sentAt, data } = message
    if (sender === uid) return []
    return [{ kind: 'mention', item: { id, conversationId, sender, sentAt, text: data?.text } }]
  })
}

/** Those of the user, in conversations that they see. */
function reactions(source: Source, place: StepPlace | undefined, uid: string) {
  return walk(source, place, { hasReactions: true }, uid, async ({ id, conversationId }) => {
    const all = await reactionsOf(source.from, id)
    const own = all.filter((one) => one.uid === uid)
    return own.map((one) => ({
      kind: 'reaction',
      item: { messageId: id, conversationId, ...one },
    }))
  })
}

async function* conversations({ from }: Source, uid: string): AsyncGenerator<Pages> {
  const query = { includeBlockedUsers: true, withTags: true }
  const pages = pagesOf<ListedConversation>(from, '/conversations', query, undefined, uid)
  for await (const { items } of pages) {
    yield { items: items.flatMap((one) => conversationItem(one, uid)) }
  }
  yield { items: [], next: {} }
}
