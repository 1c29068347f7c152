import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../plain-error.ts'
import type { ListedMessage } from './listed.ts'
import { messagesOf } from './lists.ts'
import { importPage } from './messages.ts'
import type { Moving } from './moving.ts'
import { moveGroups, moveMembers, moveMembersOf, moveRoles, moveUsers } from './people.ts'
import { movePositions } from './positions.ts'
import type { Side } from './side.ts'

/** A message may be seen so much later than others that were sent after it. */
const overlapSeconds = 30

export interface Following {
  readonly pauseMs: number
  readonly signal: AbortSignal
  /** After each round: messages that it read, and how old the newest was when it was here. */
  heard(messages: number, lagSeconds: number | undefined): void
}

/** Brings over what is written on the old side, until it is stopped. */
export async function followMove(moving: Moving, following: Following): Promise<void> {
  requireRun(moving)
  while (!following.signal.aborted) {
    const { messages, lagSeconds } = await catchUp(moving)
    following.heard(messages, lagSeconds)
    await sleep(following.pauseMs, undefined, { signal: following.signal }).catch(() => undefined)
  }
}

function requireRun({ state }: Moving): void {
  if (!state.step('positions').done) throw new PlainError('Finish `chorale move run` first.')
}

/** Reads again what was sent a moment before the last round: nothing that came late is missed. */
async function catchUp(moving: Moving, since?: number) {
  const { from, state } = moving
  const before = state.step('follow').sentAt ?? state.step('messages').sentAt ?? 1
  const start = Math.max(1, (since ?? before) - overlapSeconds)
  let newest = before
  let messages = 0
  for await (const page of messagesOf(from, { sentAt: start })) {
    await importPage(moving, page, true)
    await followActions(moving, page)
    messages += page.length
    newest = Math.max(newest, page.at(-1)?.sentAt ?? 0)
  }
  const { count } = state.step('follow')
  state.save('follow', { done: false, count: count + messages, sentAt: newest })
  const isNew = newest > before
  return { messages, lagSeconds: isNew ? Date.now() / 1000 - newest : undefined }
}

/** What happened to older messages, and to members of groups. */
async function followActions(moving: Moving, page: readonly ListedMessage[]): Promise<void> {
  const actions = page.filter(({ category }) => category === 'action')
  const touched = new Map<string, ListedMessage>()
  const guids = new Set<string>()
  for (const { type, receiver, data } of actions) {
    if (type === 'groupMember') guids.add(receiver)
    const { entity, entityType } = Object(Object(data?.entities).on)
    if (entityType === 'message') touched.set(entity.id, entity)
  }
  if (touched.size > 0) await importPage(moving, [...touched.values()], true)
  for (const guid of guids) await moveMembersOf(moving, guid)
}

/** Whatever has a larger one is written on the new side. */
async function newestId(side: Side): Promise<string> {
  const query = { affix: 'prepend', limit: 1 }
  const { data } = await side.get<{ data: readonly ListedMessage[] }>('/messages', query)
  return data[0]?.id ?? '1'
}

const secondsPerDay = 86_400

/**
 * The last step, when nothing is written on the old side any more: people once more, messages of so
 * many days with their reactions and receipts, and what was read.
 */
export async function cutOver(
  moving: Moving,
  days: number,
): Promise<{ readonly messages: number }> {
  requireRun(moving)
  const { state } = moving
  for (const name of ['roles', 'users', 'groups', 'members', 'positions'] as const) {
    state.restart(name)
  }
  await moveRoles(moving)
  await moveUsers(moving)
  await moveGroups(moving)
  await moveMembers(moving)
  const last = state.step('follow').sentAt ?? state.step('messages').sentAt ?? 1
  const { messages } = await catchUp(moving, last - days * secondsPerDay)
  await movePositions(moving)
  const lastId = await newestId(moving.to)
  state.save('cut-over', { done: true, count: messages, lastId })
  return { messages }
}
