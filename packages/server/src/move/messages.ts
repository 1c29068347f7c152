import { importItems, lacksPeople, leftoversIn, withoutRepeats } from './batches.ts'
import { isSame } from './files/file-forms.ts'
import { withoutUploads } from './files/links.ts'
import { type ListedMessage, type ListedReaction, pick } from './listed.ts'
import { ahead, messagesOf } from './lists.ts'
import type { Moving } from './moving.ts'
import { groupDetails, userDetails } from './people.ts'
import type { Side } from './side.ts'

const partsAtOnce = 4
/** Fewer messages than these are one part. */
const leastOfPart = 100

/** In the order of ids, which is that of every conversation. */
export async function moveMessages(moving: Moving): Promise<void> {
  const { from, state, progress } = moving
  let step = state.step('messages')
  if (step.done) return
  const span = await spanOf(from)
  const after = step.lastId === undefined ? undefined : { id: step.lastId }
  for await (const page of ahead(messagesOf(from, after))) {
    await importPage(moving, page, false)
    const last = page.at(-1)
    if (!last) continue
    const { id: lastId, sentAt } = last
    step = { done: false, count: step.count + page.length, lastId, sentAt }
    state.save('messages', step)
    const share = (Number(lastId) - span.first) / (span.last - span.first || 1)
    progress('messages', step.count, share)
  }
  state.save('messages', { ...step, done: true })
}

export async function spanOf(
  from: Side,
): Promise<{ readonly first: number; readonly last: number }> {
  const one = async (query: { affix: string; sentAt?: number }) => {
    const answer = await from.get<{ data: readonly ListedMessage[] }>('/messages', {
      ...query,
      limit: 1,
    })
    return Number(answer.data[0]?.id ?? 0)
  }
  return { first: await one({ affix: 'append', sentAt: 1 }), last: await one({ affix: 'prepend' }) }
}

/** A page, in parts that have no conversation in common. */
export async function importPage(
  moving: Moving,
  page: readonly ListedMessage[],
  update: boolean,
): Promise<void> {
  moving.files?.queue(page)
  const conversations = [...Map.groupBy(page, ({ conversationId }) => conversationId).values()]
  const length = Math.min(partsAtOnce, Math.ceil(page.length / leastOfPart))
  const parts: ListedMessage[][] = Array.from({ length }, () => [])
  for (const messages of conversations.toSorted((a, b) => b.length - a.length)) {
    const smallest = parts.reduce((least, part) => (part.length < least.length ? part : least))
    smallest.push(...messages)
  }
  await Promise.all(
    parts.filter((part) => part.length > 0).map((part) => importPart(moving, part, update)),
  )
}

async function importPart(
  moving: Moving,
  messages: readonly ListedMessage[],
  update: boolean,
): Promise<void> {
  const inOrder = messages.toSorted((a, b) => Number(a.id) - Number(b.id))
  const isKnown = ({ category }: ListedMessage) => categories.includes(category)
  for (const some of withoutRepeats(inOrder.filter(isKnown), muidOf)) {
    await importSome(moving, some, update)
  }
  const unknown = inOrder.filter((message) => !isKnown(message))
  moving.state.leave(
    unknown.map(({ id, category }) => ({ kind: 'messages', id, why: `Category ${category}.` })),
  )
}

async function importSome(
  { from, to, state, files }: Moving,
  messages: readonly ListedMessage[],
  update: boolean,
): Promise<void> {
  const byKey = new Map(messages.map((message) => [muidOf(message), message]))
  const asked = await Promise.all(messages.map((message) => itemOf(from, message)))
  const items = new Map<string, object>()
  for (const item of asked) {
    const message = byKey.get(item.muid)
    const data = files && message ? files.named(message, item.data) : withoutUploads(item.data)
    items.set(item.muid, { ...item, data })
  }
  const importing = { to, kind: 'messages', with: { unread: true, update } }
  const outcomes = await importItems(importing, items)
  const again = new Map<string, object>()
  for (const [key, outcome] of outcomes) {
    const message = byKey.get(key)
    const item = items.get(key)
    if (message && item && lacksPeople(outcome)) again.set(key, { ...item, ...detailsIn(message) })
  }
  if (again.size > 0) {
    for (const [key, outcome] of await importItems(importing, again)) outcomes.set(key, outcome)
  }
  const failed = leftoversIn('messages', outcomes).map((one) => ({
    ...one,
    id: byKey.get(one.id)?.id ?? one.id,
  }))
  state.leave(failed)
}

/** Of a page, what the new side does not have as it is. Who reacted is not seen in a list. */
export async function differingOf(
  to: Side,
  page: readonly ListedMessage[],
): Promise<ListedMessage[]> {
  const stored = await messagesBeside(to, page)
  return page.filter((message) => {
    const there = stored.get(message.id)
    return hasReactions(message) || !there || !isSame(message, there)
  })
}

/** What the other side has where a page goes from its first id to its last, by id. */
export async function messagesBeside(
  side: Side,
  page: readonly ListedMessage[],
): Promise<Map<string, ListedMessage>> {
  const found = new Map<string, ListedMessage>()
  const [first, last] = [page[0], page.at(-1)]
  if (!first || !last) return found
  const before = { id: String(Number(first.id) - 1) }
  for await (const there of messagesOf(side, before)) {
    for (const message of there) {
      if (Number(message.id) > Number(last.id)) return found
      found.set(message.id, message)
    }
  }
  return found
}

const categories = ['message', 'custom', 'interactive', 'call', 'action']

/** Those who came while the move was under way are shown with their messages. */
export function detailsIn({ data, receiverType }: ListedMessage): object {
  const { sender, receiver, by, for: group } = Object(data?.entities)
  const from = (sender ?? by)?.entity
  const to = (receiver ?? group)?.entity
  return {
    ...(from?.uid && { senderUserDetails: userDetails(from) }),
    ...(to?.uid && receiverType === 'user' && { receiverUserDetails: userDetails(to) }),
    ...(to?.guid && receiverType === 'group' && { receiverGroupDetails: groupDetails(to) }),
  }
}

const taken = [
  'id',
  'parentId',
  'quotedMessageId',
  'sender',
  'receiverType',
  'receiver',
  'category',
  'type',
  'tags',
  'sentAt',
  'updatedAt',
  'editedAt',
  'editedBy',
  'deletedAt',
  'deletedBy',
  'deliveredAt',
  'readAt',
] as const

/** A message of a list, as an import takes it. */
export async function itemOf(from: Side, message: ListedMessage) {
  const reactions = hasReactions(message) ? await reactionsOf(from, message.id) : []
  return { ...plainItemOf(message), reactions }
}

/** Without reactions: those that are there stay. */
export function plainItemOf(message: ListedMessage) {
  return { ...pick(message, taken), muid: muidOf(message), data: saidIn(message) }
}

export function muidOf({ id, muid = id }: ListedMessage): string {
  return muid
}

function hasReactions({ data = {} }: ListedMessage): boolean {
  return Array.isArray(data.reactions) && data.reactions.length > 0
}

/** Without the people that lists show, who are moved by themselves. */
function saidIn({ category, data = {} }: ListedMessage): Readonly<Record<string, unknown>> {
  const { entities, mentions: _, reactions: __, moderation: ___, ...said } = data
  const { entity, entityType } = Object(Object(entities).on)
  if (category !== 'action' || !entity) return said
  const { uid, id } = entity
  return { ...said, entities: { on: { entityType, entity: { uid, id } } } }
}

const reactionsPerPage = 100

export async function reactionsOf(
  from: Side,
  messageId: string,
): Promise<Omit<ListedReaction, 'id'>[]> {
  const all: Omit<ListedReaction, 'id'>[] = []
  for (let id: string | undefined; ; ) {
    const { data } = await from.get<{ data: readonly ListedReaction[] }>(
      `/messages/${messageId}/reactions`,
      { limit: reactionsPerPage, affix: 'append', id },
    )
    all.push(...data.map(({ uid, reaction, reactedAt }) => ({ uid, reaction, reactedAt })))
    if (data.length < reactionsPerPage) return all
    id = data.at(-1)?.id
  }
}
