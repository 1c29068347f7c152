import { PlainError } from '../plain-error.ts'
import { giveReactions } from './back-reactions.ts'
import { importItems, lacksPeople, leftoversIn, withoutRepeats } from './batches.ts'
import { withoutUploads } from './files/links.ts'
import type { Given } from './given.ts'
import type { ListedMessage } from './listed.ts'
import { messagesOf } from './lists.ts'
import { standingsIn } from './members.ts'
import { detailsIn, itemOf, muidOf } from './messages.ts'
import type { Moving } from './moving.ts'
import { Refused } from './side.ts'

/** What the hosted service takes in a call. */
const itemsOfCall = 50

/** From which message on the new side writes by itself. */
export function markOf({ state }: Pick<Moving, 'state'>): string {
  const { done, lastId } = state.step('cut-over')
  if (!done || lastId === undefined) throw new PlainError('There was no `chorale move cut-over`.')
  return lastId
}

/**
 * Gives the old side what was written on the new one since the cut-over: messages with their times, edits
 * and deletions, who came to groups and left, and reactions. There messages get new ids; their muids are
 * the ids from here.
 */
export async function moveBack(
  moving: Moving,
  given: Given,
): Promise<{ readonly messages: number }> {
  const { to, state, progress } = moving
  let { count, lastId = markOf(moving) } = state.step('back')
  for await (const page of messagesOf(to, { id: lastId })) {
    await giveMessages(moving, given, page)
    await giveChanges(moving, given, page)
    await giveMembers(moving, page)
    const last = page.at(-1)
    if (!last) continue
    count += page.filter(isSaid).length
    lastId = last.id
    state.save('back', { done: false, count, lastId })
    progress('back', count)
  }
  await giveReactions(moving, given)
  return { messages: count }
}

function isSaid({ category }: ListedMessage): boolean {
  return category !== 'action'
}

/** Replies come after what they reply to: it has its id there by then. */
async function giveMessages(
  moving: Moving,
  given: Given,
  page: readonly ListedMessage[],
): Promise<void> {
  const said = page.filter(isSaid)
  const parents = said.filter(({ parentId }) => parentId === undefined)
  const replies = said.filter(({ parentId }) => parentId !== undefined)
  for (const some of [...withoutRepeats(parents, muidOf), ...withoutRepeats(replies, muidOf)]) {
    await giveSome(moving, given, some)
  }
}

async function giveSome(
  { from: old, to: fresh, state, files }: Moving,
  given: Given,
  messages: readonly ListedMessage[],
): Promise<void> {
  const items = new Map<string, object>()
  const byKey = new Map<string, ListedMessage>()
  for (const message of messages) {
    const { id: _, parentId, quotedMessageId, ...item } = await itemOf(fresh, message)
    const relations = {
      parentId: given.idOf(parentId),
      quotedMessageId: given.idOf(quotedMessageId),
    }
    items.set(item.muid, { ...item, ...relations, data: linkedBy(files, item.data) })
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
  given.add(
    [...outcomes].flatMap(([key, { data }]) => {
      const id = byKey.get(key)?.id
      return id !== undefined && data?.id !== undefined ? [[id, data.id] as const] : []
    }),
  )
  state.leave(leftoversIn('back', outcomes))
}

/** By the calls that change a message: nobody else can say it to a service that runs. */
async function giveChanges(
  { from: old, state, files }: Moving,
  given: Given,
  page: readonly ListedMessage[],
): Promise<void> {
  for (const { category, data } of page) {
    const { entity, entityType } = Object(Object(data?.entities).on)
    if (category !== 'action' || entityType !== 'message') continue
    const path = `/messages/${given.idOf(entity.id)}`
    try {
      if (entity.deletedAt !== undefined) await old.delete(path)
      else await old.put(path, { data: linkedBy(files, saidBy(entity)) })
    } catch (error) {
      // Deleted there already, by a call whose answer was lost.
      if (!(error instanceof Refused)) throw error
      if (error.status !== 404) state.leave([{ kind: 'back', id: entity.id, why: error.message }])
    }
  }
}

/** Files of the old side are links again; those of the new one are, for as long as their address lasts. */
function linkedBy(files: Moving['files'], said: Readonly<Record<string, unknown>>) {
  return files ? files.linked(said) : withoutUploads(said)
}

function saidBy({ data = {} }: ListedMessage): Readonly<Record<string, unknown>> {
  const { entities: _, mentions: __, reactions: ___, moderation: ____, ...said } = data
  return said
}

/** Groups in which somebody came or went: their members become those of the new side. */
async function giveMembers(
  { from: old, to: fresh, state }: Moving,
  page: readonly ListedMessage[],
): Promise<void> {
  const moved = page.filter(({ category, type }) => category === 'action' && type === 'groupMember')
  for (const guid of new Set(moved.map(({ receiver }) => receiver))) {
    const [there, here] = await Promise.all([standingsIn(old, guid), standingsIn(fresh, guid)])
    const path = `/groups/${guid}`
    try {
      for (const uid of there.keys()) {
        if (!here.has(uid)) await old.delete(`${path}/members/${uid}`)
      }
      for (const [uid, { is }] of here) {
        if (there.has(uid)) continue
        if (is.isBanned) await old.post(`${path}/bannedusers/${uid}`, {})
        else await old.post(`${path}/members`, { [`${is.scope ?? 'participant'}s`]: [uid] })
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      state.leave([{ kind: 'back', id: guid, why: error.message }])
    }
  }
}
