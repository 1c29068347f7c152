import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { ChoraleError } from '@chorale/sdk'
import type { Random } from '../seeded.ts'
import type { TalkEntry, TalkModel } from './talk-model.ts'

/** App settings that decide whether an action counts as unread and is shown. */
export interface Rules {
  groupActions: boolean
  messageActions: boolean
}

/** One conversation of the service, and the model of it. */
export interface Talk {
  /** Its public id. */
  readonly label: string
  readonly client: Client<Api>
  readonly model: TalkModel
  readonly random: Random
  readonly rules: Rules
  readonly between:
    | { readonly kind: 'user'; readonly uids: readonly [string, string] }
    | { readonly kind: 'group'; readonly guid: string; readonly owner: string }
  /** Who can take part; of two users: both. */
  readonly crowd: readonly string[]
}

/** An operation that was drawn but not done yet. */
export interface Drawn {
  readonly line: string
  /** Of those that are done at once only one may hold it: the entry or the position it is about. */
  readonly holds?: string
  /** `ok`, or the code that it must be refused with. */
  readonly expected: string
  /** The id of the entry that the answer names, where it does. */
  call(): Promise<string | undefined>
  /** What it does to the model if it is not refused. */
  apply?(id: string | undefined): void
}

export type Draw = (talk: Talk) => Drawn

/**
 * Does them, all at once in the service, and then in the model: in the order that the ids of their
 * entries tell. Any other answer than the expected one is thrown.
 */
export async function perform(...drawn: readonly Drawn[]): Promise<void> {
  const done = await Promise.all(drawn.map(async (one) => ({ one, id: await outcomeOf(one) })))
  done.sort((a, b) => Number(a.id ?? 0) - Number(b.id ?? 0))
  for (const { one, id } of done) if (one.expected === 'ok') one.apply?.(id)
}

async function outcomeOf({ line, expected, call }: Drawn): Promise<string | undefined> {
  let id: string | undefined
  let code = 'ok'
  try {
    id = await call()
  } catch (error) {
    if (!(error instanceof ChoraleError)) throw new Error(`"${line}" failed`, { cause: error })
    code = error.code
  }
  if (code !== expected) throw new Error(`"${line}" answered ${code} instead of ${expected}`)
  return id
}

/** Mostly one who takes part, now and then anyone. */
export function someone({ crowd, model, random }: Talk): string {
  const inside = [...model.places.keys()]
  return random.pick(random.chance(0.9) && inside.length > 0 ? inside : crowd)
}

export function otherOf({ between }: Talk, uid: string): string {
  if (between.kind === 'group') throw new Error('A group has no other side.')
  return uid === between.uids[0] ? between.uids[1] : between.uids[0]
}

/** Where an entry is in the log, counted from 1, and its id. */
export interface Marked {
  readonly seq: number
  readonly id: string
  readonly entry: TalkEntry
}

/** Mostly one of the last, now and then any: long ways back are slow, and seldom in life. */
export function someEntry(
  { model, random }: Talk,
  wanted: (entry: TalkEntry) => boolean,
): Marked | undefined {
  const { entries } = model
  const reach = random.chance(0.8) ? 40 : random.chance(0.95) ? 1000 : entries.length
  for (let at = entries.length - 1 - random.below(Math.min(reach, entries.length)); at >= 0; at--) {
    const entry = entries[at]
    if (entry?.id !== undefined && wanted(entry)) return { seq: at + 1, id: entry.id, entry }
  }
  return undefined
}

export function acting(by: string | undefined): { onBehalfOf?: string } {
  return by === undefined ? {} : { onBehalfOf: by }
}

/** As the log names them: without anyone, the app itself. */
export function senderOf(by: string | undefined): string {
  return by ?? 'app_system'
}
