import { PlainError } from '../plain-error.ts'
import { importItems, leftoversIn } from './batches.ts'
import type { ListedMessage } from './listed.ts'
import { messagesOf } from './lists.ts'
import { detailsIn, itemOf, lacksPeople } from './messages.ts'
import type { Moving } from './moving.ts'
import { Refused } from './side.ts'

/** What the hosted service takes in a call. */
const itemsOfCall = 50

/**
 * Gives the old side what was written on the new one since the cut-over: messages with their times, and
 * edits and deletions of those that both have. There they get new ids; their muids are the ids from here.
 */
export async function moveBack(moving: Moving): Promise<{ readonly messages: number }> {
  const { to, state, progress } = moving
  const { done, lastId: mark } = state.step('cut-over')
  if (!done || mark === undefined) throw new PlainError('There was no `chorale move cut-over`.')
  let { count, lastId = mark } = state.step('back')
  for await (const page of messagesOf(to, { id: lastId })) {
    await giveMessages(moving, page, Number(mark))
    await giveChanges(moving, page, Number(mark))
    const last = page.at(-1)
    if (!last) continue
    count += page.filter(isSaid).length
    lastId = last.id
    state.save('back', { done: false, count, lastId })
    progress('back', count)
  }
  return { messages: count }
}

function isSaid({ category }: ListedMessage): boolean {
  return category !== 'action'
}

async function giveMessages(
  { from: old, to: fresh, state }: Moving,
  page: readonly ListedMessage[],
  mark: number,
): Promise<void> {
  const items = new Map<string, object>()
  const byKey = new Map<string, ListedMessage>()
  for (const message of page.filter(isSaid)) {
    const { id: _, parentId, quotedMessageId, ...item } = await itemOf(fresh, message)
    // Of those that both sides have under one id.
    const shared = (id: string | undefined) => (Number(id) <= mark ? id : undefined)
    const relations = { parentId: shared(parentId), quotedMessageId: shared(quotedMessageId) }
    items.set(item.muid, { ...item, ...relations })
    byKey.set(item.muid, message)
  }
  const importing = { to: old, kind: 'messages', with: { unread: true }, most: itemsOfCall }
  const outcomes = await importItems(importing, items)
  const again = new Map<string, object>()
  for (const [key, outcome] of outcomes) {
    const message = byKey.get(key)
    if (message && lacksPeople(outcome))
      again.set(key, { ...items.get(key), ...detailsIn(message) })
  }
  for (const [key, outcome] of await importItems(importing, again)) outcomes.set(key, outcome)
  state.leave(leftoversIn('back', outcomes))
}

/** By the calls that change a message: nobody else can say it to a service that runs. */
async function giveChanges(
  { from: old, state }: Moving,
  page: readonly ListedMessage[],
  mark: number,
): Promise<void> {
  for (const { category, data } of page) {
    const { entity, entityType } = Object(Object(data?.entities).on)
    if (category !== 'action' || entityType !== 'message' || Number(entity.id) > mark) continue
    const path = `/messages/${entity.id}`
    try {
      if (entity.deletedAt !== undefined) await old.delete(path)
      else await old.put(path, { data: saidBy(entity) })
    } catch (error) {
      // Deleted there already, by a call whose answer was lost.
      if (!(error instanceof Refused)) throw error
      if (error.status !== 404) state.leave([{ kind: 'back', id: entity.id, why: error.message }])
    }
  }
}

function saidBy({ data = {} }: ListedMessage): object {
  const { entities: _, mentions: __, reactions: ___, moderation: ____, ...said } = data
  return said
}
