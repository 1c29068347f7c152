import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Db } from '../../database/db.ts'
import { openLoader } from '../../database/loader.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import { type FairSlots, NoSlot, openFairSlots } from '../../limits/fair-slots.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Inspector } from '../messages/send/index.ts'
import { findGates, type Gate } from './before-message.sql.ts'
import { callWebhook } from './call.ts'
import { envelope } from './payloads/envelope.ts'

export interface GateParts {
  readonly db: Db
  readonly egress: Egress
  readonly vault: Vault
  readonly log: Logger
  /** For all webhooks of an app together. */
  readonly timeoutMs: number
  /** Of these webhooks are asked at once, of all apps; of one app no more than its share. */
  readonly concurrency: number
}

const trigger = 'before_message'
/** No app may hold more than one in so many of the places. */
const appsAtLeast = 5
/** Whoever waits behind so many of their own is not heard in time anyway. */
const maxWaitingPerApp = 1000
/** As much as may be kept with a message. */
const maxBytes = 16_384

/** Webhooks that are asked before a message is stored. Every call knows of its app whether it has any. */
export function openGates(given: GateParts): Inspector {
  const slots = openFairSlots({
    most: given.concurrency,
    maxPerKey: Math.max(1, Math.floor(given.concurrency / appsAtLeast)),
    maxWaitingPerKey: maxWaitingPerApp,
  })
  const parts = { ...given, slots }
  const gates = openLoader({
    concurrency: 1,
    maxPerBatch: 200,
    fetch: (appIds: readonly string[]) => findGates(parts.db, appIds),
    nameOf: (appId) => appId,
  })
  return async (ctx, message) => ask(parts, (await gates.load(ctx.app.appId)) ?? [], ctx, message)
}

type Asking = Pick<ReadCtx, 'app' | 'caller' | 'now'>
type AskParts = GateParts & { readonly slots: FairSlots }
type Answer = 'drop' | Readonly<Record<string, unknown>> | undefined

/** All at once. One is enough to drop the message. */
async function ask(parts: AskParts, gates: readonly Gate[], ctx: Asking, message: string) {
  const { promise: deadline, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), parts.timeoutMs)
  const answers = await Promise.all(
    gates.map(async (gate) => {
      const answer = await Promise.race([askOne(parts, gate, ctx, message), deadline])
      return { gate, answer: answer ?? (gate.onFailure === 'closed' ? 'drop' : {}) }
    }),
  )
  clearTimeout(timer)
  if (answers.some(({ answer }) => answer === 'drop')) return 'drop'
  const said = answers.filter(({ answer }) => Object.keys(answer).length > 0)
  return Object.fromEntries(said.map(({ gate, answer }) => [gate.id, answer]))
}

/** Undefined: it could not be asked, or did not answer as it should. */
async function askOne(
  parts: AskParts,
  gate: Gate,
  { caller, now }: Asking,
  message: string,
): Promise<Answer> {
  const { appId, region, id: webhook } = gate
  const origin = { platform: caller.kind === 'device' ? 'WEBSOCKET' : 'API' }
  const body = envelope(trigger, message, { appId, region, webhook }, { origin })
  const sent = { appId, eventId: `${uuidv7()}:${trigger}`, at: now, body }
  try {
    const answer = await parts.slots.use(appId, () =>
      callWebhook({ ...parts, maxBytes }, gate, sent),
    )
    if (answer.truncated || answer.status < 200 || answer.status > 299) return undefined
    return verdictIn(answer.body)
  } catch (error) {
    if (error instanceof EgressError || error instanceof NoSlot) return undefined
    throw error
  }
}

/** What is no JSON object says nothing. */
function verdictIn(text: string): Answer {
  const said = asJson(text)
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return {}
  if ('action' in said && said.action === 'do_not_propagate') return 'drop'
  return { ...said }
}

function asJson(text: string): unknown {
  try {
    // What PostgreSQL would not store.
    return text.includes('\\u0000') ? {} : JSON.parse(text)
  } catch {
    // Such as `ok`.
    return {}
  }
}
