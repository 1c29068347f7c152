import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../plain-error.ts'
import { messageForm, textOf } from './forms.ts'
import type { Heard } from './heard.ts'
import type { ListedMessage } from './listed.ts'
import { messagesOf } from './lists.ts'
import { moveMembers, moveMembersOf } from './members.ts'
import { differingOf, importPage } from './messages.ts'
import type { Moving } from './moving.ts'
import { moveGroups, moveRoles, moveUsers } from './people.ts'
import { movePositions } from './positions.ts'
import { moveRelations } from './relations.ts'
import type { Side } from './side.ts'
import { catchUpOnHeard } from './touched.ts'

/** A message may be seen so much later than others that were sent after it. */
const overlapSeconds = 30
/** Webhooks come one by one; the messages that they tell of are read together. */
const shortestPauseMs = 200

export interface Following {
  readonly pauseMs: number
  readonly signal: AbortSignal
  readonly heard: Heard
  /** The same two sides, with calls of their own: new messages do not wait for what is read again. */
  readonly beside: Moving
  /** When something was said, or never. */
  woken(): Promise<void>
  /** After each round: messages that it read, and how old the newest was when it was here. */
  told(messages: number, lagSeconds: number | undefined): void
}

/** Brings over what is written on the old side, until it is stopped. */
export async function followMove(moving: Moving, following: Following): Promise<void> {
  requireRun(moving)
  const { signal, heard, pauseMs } = following
  const recent = new Recent()
  let hearing: Promise<void> | undefined
  while (!signal.aborted) {
    const end = heard.end()
    const { messages, lagSeconds } = await catchUp(moving, recent)
    following.told(messages, lagSeconds)
    hearing ??= catchUpOnHeard(following.beside, heard, end, signal).then(() => {
      hearing = undefined
    })
    // Whoever waits for it is told.
    hearing.catch(() => undefined)
    const woken = following.woken()
    await pause(Math.min(pauseMs, shortestPauseMs), signal)
    if (pauseMs > shortestPauseMs) {
      await Promise.race([woken, pause(pauseMs - shortestPauseMs, signal)])
    }
  }
  await hearing
}

function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}

function requireRun({ state }: Moving): void {
  if (!state.step('messages').done) throw new PlainError('Finish `chorale move run` first.')
}

/** What was brought over in the last rounds, as it was: it is read again, and mostly is the same. */
class Recent {
  readonly #forms = new Map<string, { readonly form: string; readonly sentAt: number }>()

  /** Of a page, what is new or has changed. */
  changedIn(page: readonly ListedMessage[]): ListedMessage[] {
    return page.filter((one) => this.#forms.get(one.id)?.form !== formOf(one))
  }

  keep(page: readonly ListedMessage[]): void {
    for (const one of page) this.#forms.set(one.id, { form: formOf(one), sentAt: one.sentAt })
  }

  forgetBefore(sentAt: number): void {
    for (const [id, one] of this.#forms) if (one.sentAt < sentAt) this.#forms.delete(id)
  }
}

function formOf(message: ListedMessage): string {
  return textOf(messageForm(message))
}

/** Reads again what was sent a moment before the last round: nothing that came late is missed. */
async function catchUp(moving: Moving, recent: Recent) {
  const { from, state } = moving
  const before = state.step('follow').sentAt ?? state.step('messages').sentAt ?? 1
  const start = Math.max(1, before - overlapSeconds)
  let newest = before
  let messages = 0
  for await (const page of messagesOf(from, { sentAt: start })) {
    const changed = recent.changedIn(page)
    await importPage(moving, changed, true)
    await followActions(moving, changed)
    recent.keep(page)
    messages += changed.length
    newest = Math.max(newest, page.at(-1)?.sentAt ?? 0)
  }
  recent.forgetBefore(newest - 2 * overlapSeconds)
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
  await Promise.all(Array.from(guids, (guid) => moveMembersOf(moving, guid)))
}

/** Whatever has a larger one is written on the new side. */
async function newestId(side: Side): Promise<string> {
  const query = { affix: 'prepend', limit: 1 }
  const { data } = await side.get<{ data: readonly ListedMessage[] }>('/messages', query)
  return data[0]?.id ?? '1'
}

const secondsPerDay = 86_400
const once = ['roles', 'users', 'groups', 'members', 'positions', 'relations'] as const

/**
 * The last step, when nothing is written on the old side any more: people once more, messages of so
 * many days with their reactions and receipts, what webhooks have told of, and what was read.
 */
export async function cutOver(
  moving: Moving,
  heard: Heard,
  days: number,
): Promise<{ readonly messages: number }> {
  requireRun(moving)
  const { from, to, state, progress } = moving
  for (const name of once) state.restart(name)
  state.forget([...once, 'friends', 'blockedusers'])
  await moveRoles(moving)
  await moveUsers(moving)
  await moveGroups(moving)
  await moveMembers(moving)
  const last = state.step('follow').sentAt ?? state.step('messages').sentAt ?? 1
  const since = Math.max(1, last - days * secondsPerDay - overlapSeconds)
  let messages = 0
  for await (const page of messagesOf(from, { sentAt: since })) {
    const changed = await differingOf(to, page)
    await importPage(moving, changed, true)
    await followActions(moving, changed)
    messages += page.length
    progress('cut-over', messages)
  }
  await catchUpOnHeard(moving, heard, heard.end())
  await movePositions(moving, true)
  await moveRelations(moving)
  const lastId = await newestId(to)
  const sentAt = Math.floor(Date.now() / 1000)
  state.save('cut-over', { done: true, count: messages, lastId, sentAt })
  return { messages }
}
