import type { ListedConversation, ListedMessage, ListedUser } from '../move/listed.ts'
import { ahead, conversationsOf, groupsOf, messagesOf, usersOf } from '../move/lists.ts'
import { itemOf } from '../move/messages.ts'
import { groupDetails, rolesOf, systemUid, tokensOf, userDetails } from '../move/people.ts'
import type { Side } from '../move/side.ts'
import type { Item } from './format.ts'
import type { StepPlace } from './manifest.ts'
import { membersIn } from './members.ts'
import { readSettings } from './settings.ts'
import type { Pages, Source, Step } from './steps.ts'

const settings: Step = {
  name: 'settings',
  async *pages({ from, management }) {
    if (!management) return
    const item = await readSettings(management, from.appId)
    yield { items: [{ kind: 'settings', item }], next: {} }
  },
}

const roles: Step = {
  name: 'roles',
  async *pages({ from }) {
    const items = (await rolesOf(from)).map((item): Item => ({ kind: 'role', item }))
    yield { items, next: {} }
  },
}

const users: Step = {
  name: 'users',
  async *pages({ from, withTokens }, place) {
    for await (const { items, next } of ahead(usersOf(from, pageIn(place)))) {
      const own = items.filter(({ uid }) => uid !== systemUid)
      const lines = own.map(async (user): Promise<Item> => {
        const authTokens = withTokens ? await tokensOf(from, user.uid) : undefined
        return { kind: 'user', item: { ...userDetails(user), authTokens } }
      })
      yield { items: await Promise.all(lines), next }
    }
  },
}

const groups: Step = {
  name: 'groups',
  async *pages({ from }, place) {
    for await (const { items, next } of ahead(groupsOf(from, pageIn(place)))) {
      yield { items: items.map(groupItem), next }
    }
  },
}

/** Without a password: none can be read. */
export function groupItem(group: Parameters<typeof groupDetails>[0]): Item {
  return { kind: 'group', item: { ...groupDetails(group), password: undefined } }
}

const members: Step = {
  name: 'members',
  async *pages({ from }, place) {
    let at = pageIn(place)
    let done = place?.done ?? 0
    for await (const { items, next } of groupsOf(from, at)) {
      for (const { guid } of items.slice(done)) {
        done += 1
        for await (const lines of membersIn(from, guid)) yield { items: lines }
        yield { items: [], next: { ...at, done } }
      }
      at = next
      done = 0
      yield { items: [], next }
    }
  },
}

function pageIn(place: StepPlace | undefined) {
  if (place?.page === undefined) return undefined
  const { page, cursor } = place
  return { page, ...(cursor !== undefined && { cursor }) }
}

const messages: Step = {
  name: 'messages',
  pages: (source, place) => messagePages(source, place, {}, goneIn),
}

const conversations: Step = {
  name: 'conversations',
  async *pages({ from }, place) {
    for await (const { items, next } of ahead(conversationsOf(from, pageIn(place)))) {
      yield { items: items.flatMap((one) => conversationItem(one, one.uid)), next }
    }
  },
}

/** Everything, in the order in which an import needs it. */
export const appSteps: readonly Step[] = [
  settings,
  roles,
  users,
  groups,
  members,
  messages,
  conversations,
]

/** Messages up to the mark, as an import takes them. */
export async function* messagePages(
  { from, upTo }: Source,
  place: StepPlace | undefined,
  only: Parameters<typeof messagesOf>[2],
  beside: (message: ListedMessage) => object,
  onBehalfOf?: string,
): AsyncGenerator<Pages> {
  const last = Number(upTo)
  const after = place?.lastId === undefined ? undefined : { id: place.lastId }
  let first: number | undefined
  for await (const page of ahead(messagesOf(from, after, only, onBehalfOf))) {
    const known = page.filter(({ id }) => Number(id) <= last)
    const lastId = known.at(-1)?.id
    if (lastId === undefined) return
    first ??= Number(known[0]?.id)
    const share = (Number(lastId) - first) / (last - first || 1)
    yield { items: await messageItems(from, known, beside), next: { lastId }, share }
    if (known.length < page.length) return
  }
}

function messageItems(
  from: Side,
  page: readonly ListedMessage[],
  beside: (message: ListedMessage) => object,
): Promise<Item[]> {
  return Promise.all(
    page.map(async (message): Promise<Item> => {
      const item = await itemOf(from, message)
      return { kind: 'message', item: { ...item, ...beside(message) } }
    }),
  )
}

/** Whoever was deleted for ever is in no list of users: lists of messages show the uid alone. */
function goneIn({ receiverType, data }: ListedMessage): object {
  const { sender, receiver, by } = Object(data?.entities)
  const from: ListedUser | undefined = (sender ?? by)?.entity
  const to: ListedUser | undefined = receiver?.entity
  return {
    ...(isGone(from) && { senderUserDetails: nameAlone(from) }),
    ...(receiverType === 'user' && isGone(to) && { receiverUserDetails: nameAlone(to) }),
  }
}

function isGone(user: ListedUser | undefined): user is ListedUser {
  return user?.createdAt === 0
}

function nameAlone({ uid, name }: ListedUser): object {
  return { uid, name }
}

/** How far a user has read. */
export function conversationItem(
  { conversationType, conversationWith, unreadMessageCount, tags }: ListedConversation,
  uid: string | undefined,
): Item[] {
  const other = conversationWith.guid ?? conversationWith.uid
  if (uid === undefined || other === undefined) return []
  const item = {
    uid,
    conversationType,
    conversationWith: other,
    unreadMessageCount: Number(unreadMessageCount),
    ...(tags && tags.length > 0 && { tags }),
  }
  return [{ kind: 'conversation', item }]
}
