import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../plain-error.ts'
import { moveFiles, moveQueued } from './files/move-files.ts'
import { messageForm, textOf } from './forms.ts'
import type { Heard, Touched } from './heard.ts'
import type { ListedMessage } from './listed.ts'
import { messagesOf } from './lists.ts'
import { moveMembers } from './members.ts'
import { differingOf, importPage } from './messages.ts'
import type { Moving } from './moving.ts'
import { moveGroups, moveRoles, moveUsers } from './people.ts'
import { movePositions } from './positions.ts'
import { moveRelations } from './relations.ts'
import type { Side } from './side.ts'
import { catchUpOnHeard } from './touched.ts'

/** A message may be seen so much later than others that were sent after it. */
export const overlapSeconds = 30
/** Most are seen within a few seconds: only now and then all of the overlap is read. */
export const shortOverlapSeconds = 3
const wholeOverlapEveryMs = 10_000
/** A service may list messages of the minute before the time that it was asked for. */
const rememberedSeconds = 120
/** In so much time some message is stored as soon as it is sent. */
const marginSeconds = 10
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
  let filing: Promise<void> | undefined
  const failed: unknown[] = []
  let wholeAt = 0
  while (!signal.aborted && failed.length === 0) {
    const end = heard.end()
    const isWhole = Date.now() >= wholeAt
    if (isWhole) wholeAt = Date.now() + wholeOverlapEveryMs
    const overlap = isWhole ? overlapSeconds : shortOverlapSeconds
    const { messages, lagSeconds } = await catchUp(moving, heard, recent, overlap)
    following.told(messages, lagSeconds)
    hearing ??= catchUpOnHeard(following.beside, heard, end, { signal }).then(() => {
      hearing = undefined
    })
    // Whoever waits for it is told.
    hearing.catch(() => undefined)
    filing ??= moveQueued(following.beside, signal)
      .catch((error: unknown) => failed.push(error))
      .then(() => {
        filing = undefined
      })
    const woken = following.woken()
    await pause(Math.min(pauseMs, shortestPauseMs), signal)
    if (pauseMs > shortestPauseMs) {
      await Promise.race([woken, pause(pauseMs - shortestPauseMs, signal)])
    }
  }
  await hearing
  await filing
  if (failed.length > 0) throw failed[0]
}

function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}

export function requireRun({ state }: Moving): void {
  if (!state.step('messages').done) throw new PlainError('Finish `chorale move run` first.')
}

/** What was seen in the last rounds, as it was: it is read again, and mostly is the same. */
export class Recent {
  readonly #forms = new Map<string, { readonly form: string; readonly sentAt: number }>()

  get isEmpty(): boolean {
    return this.#forms.size === 0
  }

  has({ id }: ListedMessage): boolean {
    return this.#forms.has(id)
  }

  hasSame(message: ListedMessage): boolean {
    return this.#forms.get(message.id)?.form === formOf(message)
  }

  keep(page: readonly ListedMessage[]): void {
    for (const one of page) this.#forms.set(one.id, { form: formOf(one), sentAt: one.sentAt })
  }

  /** The first of those that were sent since then, or soon before. */
  firstIdSince(sentAt: number): string | undefined {
    const since = sentAt - marginSeconds
    let first: string | undefined
    for (const [id, one] of this.#forms) {
      if (one.sentAt >= since && (first === undefined || Number(id) < Number(first))) first = id
    }
    return first
  }

  forgetBefore(sentAt: number): void {
    for (const [id, one] of this.#forms) if (one.sentAt < sentAt) this.#forms.delete(id)
  }
}

function formOf(message: ListedMessage): string {
  return textOf(messageForm(message))
}

/**
 * Brings new messages over, and reads again what was sent a moment before the last round: nothing that
 * came late is missed. What has changed is written down for `catchUpOnHeard`: only one of the two
 * changes a message that is on the new side, so nothing that was read earlier replaces what was read later.
 * A short overlap is read by ids: by times, a service may list much more.
 */
export async function catchUp(moving: Moving, heard: Heard, recent: Recent, overlap: number) {
  const { from, state } = moving
  const before = state.step('follow').sentAt ?? state.step('messages').sentAt ?? 1
  const start = Math.max(1, before - overlap)
  // May have changed while nobody looked.
  const checkedUntil = recent.isEmpty ? before : 0
  let newest = before
  let messages = 0
  const id = overlap < overlapSeconds ? recent.firstIdSince(start) : undefined
  for await (const page of messagesOf(from, id === undefined ? { sentAt: start } : { id })) {
    const changed = page.filter((one) => !recent.hasSame(one))
    const fresh = changed.filter((one) => !recent.has(one))
    await importPage(moving, fresh, false)
    const known = changed.filter((one) => recent.has(one) || one.sentAt <= checkedUntil)
    heard.add([...known.map(({ id }) => ({ is: 'message', id }) as const), ...actedOn(fresh)])
    recent.keep(page)
    messages += changed.length
    newest = Math.max(newest, page.at(-1)?.sentAt ?? 0)
  }
  recent.forgetBefore(newest - rememberedSeconds)
  const { count } = state.step('follow')
  state.save('follow', { done: false, count: count + messages, sentAt: newest })
  const isNew = newest > before
  return { messages, lagSeconds: isNew ? Date.now() / 1000 - newest : undefined }
}

/** Older messages that were changed, and groups whose members have. */
function actedOn(page: readonly ListedMessage[]): Touched[] {
  return page.flatMap(({ category, type, receiver, data }): Touched[] => {
    if (category !== 'action') return []
    if (type === 'groupMember') return [{ is: 'group', guid: receiver }]
    const { entity, entityType } = Object(Object(data?.entities).on)
    return entityType === 'message' ? [{ is: 'message', id: entity.id }] : []
  })
}

/** Whatever has a larger one is written on the new side. */
export async function newestId(side: Side): Promise<string> {
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
  let firstId = Infinity
  for await (const page of messagesOf(from, { sentAt: since })) {
    firstId = Math.min(firstId, Number(page[0]?.id))
    const changed = await differingOf(to, page)
    await importPage(moving, changed, true)
    heard.add(actedOn(changed))
    messages += page.length
    progress('cut-over', messages)
  }
  const isOlder = (one: Touched) => one.is === 'message' && Number(one.id) < firstId
  await catchUpOnHeard(moving, heard, heard.end(), { isNeeded: isOlder })
  await movePositions(moving, true)
  await moveRelations(moving)
  await moveFiles(moving)
  const lastId = await newestId(to)
  const sentAt = Math.floor(Date.now() / 1000)
  state.save('cut-over', { done: true, count: messages, lastId, sentAt })
  return { messages }
}
