import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { anyHold, holdsOver } from '../holds/index.ts'
import { eraseBeginning } from '../messages/index.ts'
import { forgetBeside, forgetMessages } from './beside.sql.ts'
import { appDays } from './retention.sql.ts'
import type { RunRow } from './runs.sql.ts'
import { deleteLostFloors, nextPlaces, type Place, raiseFloor } from './walk.sql.ts'

/** Looked at, and changed, in one transaction. */
const maxPlaces = 500
const maxEntries = 500
const maxBeside = 1000

/** The next conversations, or what is beside them: how far the run is afterwards. */
export async function walk(ctx: AppTransaction, run: RunRow): Promise<RunRow> {
  const days = await appDays(ctx.db)
  if (run.phase === 'beside') return walkBeside(ctx, run, days)
  const places = await nextPlaces(ctx.db, run, days, maxPlaces)
  let at = run
  let left = maxEntries
  for (const place of places) {
    if (place.isDue) {
      const { run: after, looked, isDone } = await emptyPlace(ctx, at, place, left)
      at = after
      left -= looked
      if (!isDone) return at
    }
    at = { ...at, afterOne: place.one, afterOther: place.other, atSeq: 0 }
    if (left <= 0) return at
  }
  return places.length < maxPlaces ? nextPhase(at) : at
}

function nextPhase(run: RunRow): RunRow {
  const phase = run.phase === 'groups' ? 'users' : 'beside'
  return { ...run, phase, afterOne: '', afterOther: '', atSeq: 0 }
}

/** The oldest entries of a conversation that are not done with. */
async function emptyPlace(ctx: AppTransaction, run: RunRow, place: Place, most: number) {
  const { bucket, key, floor, before } = place
  const conversation = { bucket, key }
  const held = await holdsOver(ctx.db, conversation)
  const after = Math.max(floor, run.atSeq)
  const span = { after, before, most, keep: held }
  const { ids, kept, reached, firstKept } = await eraseBeginning(ctx, conversation, span)
  const isDone = reached - after < most
  // Behind what is kept the next run has to look again.
  const free = firstKept === undefined ? reached : firstKept - 1
  if (after === floor && free > floor) await raiseFloor(ctx.db, conversation, free)
  const forgotten = ids.length > 0 ? await forgetMessages(ctx.db, ids) : {}
  const isFirst = run.atSeq === 0
  return {
    looked: reached - after,
    isDone,
    run: {
      ...run,
      atSeq: reached,
      conversations: run.conversations + (isFirst && ids.length > 0 ? 1 : 0),
      messages: run.messages + ids.length,
      held: run.held + kept,
      rows: added(run.rows, forgotten),
    },
  }
}

/** Logs of what was told to others. A hold may be about any row of them. */
async function walkBeside(
  ctx: AppTransaction,
  run: RunRow,
  days: number | undefined,
): Promise<RunRow> {
  const isOff = days === undefined || (await anyHold(ctx.db))
  const before = run.startedAt - (days ?? 0) * 86_400
  const forgotten = isOff ? {} : await forgetBeside(ctx.db, before, maxBeside)
  const rows = added(run.rows, forgotten)
  if (Object.keys(forgotten).length > 0) return { ...run, rows }
  await deleteLostFloors(ctx.db)
  return { ...run, rows, status: 'done', endedAt: ctx.now }
}

function added(
  before: RunRow['rows'],
  more: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...before }
  for (const [table, rows] of Object.entries(more)) sums[table] = (sums[table] ?? 0) + rows
  return sums
}
