import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseAway } from '../database/errors.ts'
import type { Database } from '../database/pool.ts'
import { pauseMs } from '../jobs/backoff.ts'
import type { CommitHook } from '../outbox/committed.ts'
import type { EventName } from '../outbox/events.ts'
import type { HeardEvent, Listener, Reaction } from '../outbox/listener.ts'
import { type AppTransaction, openTransactions } from '../outbox/unit-of-work.ts'
import type { FileAddresses } from '../storage/addresses.ts'
import { type Tracer, traced } from '../tracing/tracer.ts'
import { inTurn, type Turn } from '../watchdog/turns.ts'
import { markHandled } from './handled.sql.ts'
import type { Slots } from './turns.ts'

export interface HandleParts {
  readonly database: Database
  readonly onCommit: CommitHook
  readonly clock: () => number
  readonly log: Logger
  readonly attempts: number
  readonly retryMs: number
  readonly tracer?: Tracer | undefined
  readonly addresses?: FileAddresses | undefined
}

export interface Task {
  readonly listener: Listener
  readonly appId: string
  /** One; several for a listener that takes them together. */
  readonly events: readonly HeardEvent[]
  /** How often it has been delivered: what a process died of is not tried for ever. */
  readonly delivery: number
  readonly slots: Slots
  readonly isConcerned: () => Promise<boolean>
  readonly stopping: AbortSignal
}

/** Whether a listener has anything to do for an app. */
export type Concerns = (appId: string) => Promise<boolean>

/** `stopped`: not handled, for the next process. An error: given up, after all attempts. */
export type Outcome = 'handled' | 'stopped' | Error

const maxRetryMs = 60_000
/** Between two looks whether the database is back. */
const maxWaitMs = 5000
const maxDeliveries = 10

/**
 * Tries until it is handled or the attempts are used up, which count failures of the event itself:
 * while the database is away it waits. Between attempts it holds no slot.
 */
export async function handle(parts: HandleParts, task: Task): Promise<Outcome> {
  const { stopping } = task
  if (task.delivery > maxDeliveries) return new Error('No process has survived this event.')
  let attempt = 1
  let waits = 0
  while (!stopping.aborted) {
    try {
      return await handleOnce(parts, task)
    } catch (error) {
      const away = isDatabaseAway(error)
      logFailure(parts, task, error, away ? undefined : attempt)
      if (!away && attempt >= parts.attempts) return asError(error)
      const backoff = { firstMs: parts.retryMs, jitter: true }
      const ms = away
        ? pauseMs({ ...backoff, maxMs: maxWaitMs }, ++waits)
        : pauseMs({ ...backoff, maxMs: maxRetryMs }, attempt++)
      await after(ms, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
  return 'stopped'
}

/** The events of several messages. False: each is to be handled by itself. */
export async function handleGathered(
  parts: HandleParts,
  task: Omit<Task, 'delivery'>,
): Promise<boolean> {
  try {
    return (await handleOnce(parts, task)) === 'handled'
  } catch (error) {
    const facts = { err: error, listener: task.listener.name, events: task.events.length }
    parts.log.warn(facts, 'an event listener failed on several messages; each is handled by itself')
    return false
  }
}

async function handleOnce(
  parts: HandleParts,
  task: Omit<Task, 'delivery'>,
): Promise<'handled' | 'stopped'> {
  if (!(await task.isConcerned())) return 'handled'
  const name = `listener ${task.listener.name}`
  const traces = task.events.map(({ trace }) => trace)
  return task.slots.use(() =>
    inTurn(turnOf(task), () =>
      traced(parts.tracer, name, 'consumer', traces, () => react(parts, task)),
    ),
  )
}

function turnOf({ listener, appId }: Pick<Task, 'listener' | 'appId'>): Turn {
  return { operation: `listener ${listener.name}`, appId }
}

function logFailure(
  { log }: HandleParts,
  task: Task,
  err: unknown,
  attempt: number | undefined,
): void {
  const [first] = task.events
  const facts = { err, listener: task.listener.name, event: first?.id, name: first?.name }
  if (attempt === undefined) log.warn(facts, 'an event listener waits for the database')
  else log.warn({ ...facts, attempt }, 'an event listener failed')
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(`${error}`)
}

/** One transaction; more of them where the listener says that there is more to do. */
async function react(
  parts: HandleParts,
  task: Omit<Task, 'delivery'>,
): Promise<'handled' | 'stopped'> {
  const { database, onCommit, clock } = parts
  const begin = task.listener.together ? database.preparedTransaction : database.transaction
  const { inApp } = openTransactions({ begin, onCommit, clock, addresses: parts.addresses })
  while (!task.stopping.aborted) {
    const result = await inApp(task.appId, (ctx) => reactTo(task, ctx))
    if (result !== 'again') return 'handled'
  }
  return 'stopped'
}

async function reactTo({ listener, events }: Omit<Task, 'delivery'>, ctx: AppTransaction) {
  if (listener.together) {
    await listener.together.react(events, ctx)
    return undefined
  }
  for (const event of events) {
    const fresh =
      listener.idempotent || (await markHandled(ctx.db, listener.name, event.id, ctx.now))
    // The table gives each name the reaction to its own payload; here they are one list.
    const reaction = listener.on[event.name] as Reaction<EventName> | undefined
    if (fresh && (await reaction?.(event, ctx)) === 'again') return 'again'
  }
  return undefined
}
