import type { interactions } from '@chorale/contract/messages'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { actorOf } from '../conversations/index.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { lockPosition } from '../log/participants/index.ts'
import { findInteractions, insertInteractions } from './interactions.sql.ts'
import { requireMayTouch } from './send/delivery.ts'
import { accessMessage, requireStanding } from './stored/access.ts'
import { touched } from './stored/touched.ts'

export const interactionHandlers: Handlers<typeof interactions> = {
  async markInteracted({ params: { id }, body }, ctx) {
    const { uid } = actorOf(ctx)
    const { row, data } = await accessInteractive(ctx, id)
    const wanted = [...new Set(body.interactions)]
    const known = elementsIn([data.interactiveData, goalOf(data).elementIds])
    const strange = wanted.filter((elementId) => !known.has(elementId))
    if (strange.length > 0) {
      throw badRequest('interactions', `Not in this message: ${strange.join(', ')}.`)
    }
    // One by one per user, so that the last of several at once completes the goal.
    await lockPosition(ctx.db, row, uid)
    const before = await findInteractions(ctx.db, row, uid)
    const fresh = wanted.filter((elementId) => !before.has(elementId))
    if (fresh.length > 0) await record(ctx, row, goalOf(data), before, fresh)
    return { data: { success: true, message: 'The interactions are noted.' } }
  },
}

/** Interactive, and the acting user is one whom it asks. */
async function accessInteractive(ctx: ReadCtx, id: string) {
  const entry = await accessMessage(ctx, id, 'read')
  requireStanding(entry)
  const { row } = entry
  const data: Data = JSON.parse(row.data)
  const own = row.sender === ctx.actor?.uid && data.allowSenderInteraction !== true
  if (row.category !== 'interactive' || own) throw new Failure('ERR_MESSAGE_ACTION_NOT_ALLOWED')
  await requireMayTouch(ctx, 'interaction', entry)
  return { row, data }
}

async function record(
  ctx: WriteCtx,
  row: EntryRow,
  goal: Goal,
  before: ReadonlySet<string>,
  fresh: readonly string[],
): Promise<void> {
  const { uid } = actorOf(ctx)
  await insertInteractions(ctx.db, row, uid, fresh, ctx.now)
  await ctx.outbox.append('message.interacted', { ...touched(row, uid), elementIds: fresh })
  if (isReached(goal, new Set([...before, ...fresh])) && !isReached(goal, before)) {
    await ctx.outbox.append('message.interactionGoalCompleted', touched(row, uid))
  }
}

type Data = Readonly<Record<string, unknown>>

interface Goal {
  readonly type?: unknown
  readonly elementIds?: unknown
}

function goalOf({ interactionGoal }: Data): Goal {
  return typeof interactionGoal === 'object' && interactionGoal !== null ? interactionGoal : {}
}

function isReached({ type, elementIds }: Goal, used: ReadonlySet<string>): boolean {
  const wanted = Array.isArray(elementIds) ? elementIds : []
  switch (type) {
    case 'anyAction':
      return used.size > 0
    case 'anyOf':
    case 'oneOf':
      return wanted.some((elementId) => used.has(elementId))
    case 'allOf':
      return wanted.length > 0 && wanted.every((elementId) => used.has(elementId))
    default:
      return false
  }
}

/** Every id of an element, wherever it stands: custom messages have a shape of their own. */
function elementsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  if ('elementId' in value && typeof value.elementId === 'string') found.add(value.elementId)
  for (const inner of Object.values(value)) elementsIn(inner, found)
  return found
}
