import type { ItemOutcome } from '@chorale/contract/envelope'
import { currentTriggers, legacyTriggers, type webhookTriggers } from '@chorale/contract/webhooks'
import { paginationOf } from '../../database/keyset.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { accessWebhook, changeWebhook } from './access.ts'
import { updateWebhook } from './webhooks.sql.ts'

const currentVersion = 2
const current: ReadonlyMap<string, string> = new Map(Object.entries(currentTriggers))
const legacy: ReadonlyMap<string, string> = new Map(Object.entries(legacyTriggers))

export const triggerHandlers: Handlers<typeof webhookTriggers> = {
  async addWebhookTriggers({ headers, params, body: { triggerIds = [] } }, ctx) {
    const version = headers['X-Webhook-Version']
    const row = await changeWebhook(ctx, params.webhookId, version)
    const known = knownTriggers(row.version)
    const added = triggerIds.filter((trigger) => known.has(trigger))
    const triggers = [...new Set([...row.triggers, ...added])]
    await updateWebhook(ctx.db, { ...row, triggers }, ctx.now)
    const outcomes = triggerIds.map((trigger) => [trigger, outcomeOf(trigger, known)])
    return { data: Object.fromEntries(outcomes) }
  },

  async listWebhookTriggers({ headers, params }, ctx) {
    const version = headers['X-Webhook-Version']
    const row = await accessWebhook(ctx, params.webhookId, version)
    const known = knownTriggers(row.version)
    const data = row.triggers.map((id) => ({ id, description: known.get(id) ?? '' }))
    const all = { page: 1, perPage: 100 }
    return { data, meta: { pagination: paginationOf(all, data.length, data.length) } }
  },

  async removeWebhookTriggers({ headers, params, body: { triggerIds = [] } }, ctx) {
    const version = headers['X-Webhook-Version']
    const row = await changeWebhook(ctx, params.webhookId, version)
    const stranger = triggerIds.find((trigger) => !row.triggers.includes(trigger))
    if (stranger !== undefined) throw new Failure('ERR_TRIGGER_NOT_FOUND', { trigger: stranger })
    const triggers = row.triggers.filter((trigger) => !triggerIds.includes(trigger))
    await updateWebhook(ctx.db, { ...row, triggers }, ctx.now)
    return { data: { success: true, message: 'The triggers are removed.' } }
  },
}

/** By their ids, with their descriptions. */
export function knownTriggers(version: number): ReadonlyMap<string, string> {
  return version === currentVersion ? current : legacy
}

function outcomeOf(trigger: string, known: ReadonlyMap<string, string>): ItemOutcome {
  if (known.has(trigger)) return { success: true, message: `The trigger ${trigger} is added.` }
  const failure = new Failure('ERR_TRIGGER_NOT_FOUND', { trigger })
  return { success: false, message: failure.message, error: failure.brief() }
}
