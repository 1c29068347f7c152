import type { Input } from '@chorale/contract/operation'
import type { Webhook, webhooks } from '@chorale/contract/webhooks'
import { paginationOf } from '../../database/keyset.ts'
import { isSameOrigin } from '../../egress/urls.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { lockApp } from '../apps/index.ts'
import { accessWebhook, changeWebhook } from './access.ts'
import { newSecret, passwordPlace, secretPlace } from './secrets.ts'
import { knownTriggers } from './triggers.ts'
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from './webhooks.sql.ts'

const maxWebhooks = 25
/** As long as receivers may take to learn of a new secret. */
const oldSecretSeconds = 86_400

/** What is wrong with an address to call, as far as can be said without calling it. */
export type ObjectionToUrl = (url: string) => string | undefined

export function webhookHandlers(objectionToUrl: ObjectionToUrl): Handlers<typeof webhooks> {
  return {
    async createWebhook({ headers, body }, ctx) {
      const { id, webhookURL, password, username = null, triggers = [], ...rest } = body
      const version = headers['X-Webhook-Version']
      requireUrl(objectionToUrl, webhookURL)
      requireTriggers(version, triggers)
      const passwordEncrypted = sealedPassword(ctx, id, password) ?? null
      requireAuth(rest.useBasicAuth, username, passwordEncrypted)
      await requireRoom(ctx)
      const signingSecret = newSecret()
      const made = await insertWebhook(ctx.db, {
        ...rest,
        id,
        username,
        passwordEncrypted,
        url: webhookURL,
        createdAt: ctx.now,
        version,
        triggers: [...new Set(triggers)],
        secretEncrypted: ctx.vault.seal(signingSecret, secretPlace(ctx.db.appId, id)),
      })
      if (!made) throw new Failure('ERR_WEBHOOK_ALREADY_EXISTS', { id })
      return { data: { ...shown(await accessWebhook(ctx, id)), signingSecret } }
    },

    async listWebhooks({ headers, query }, ctx) {
      const filter = { ...query, version: headers['X-Webhook-Version'] }
      const rows = await listWebhooks(ctx.db, filter)
      const total = await countWebhooks(ctx.db, filter)
      return {
        data: rows.map(shown),
        meta: { pagination: paginationOf(query, rows.length, total) },
      }
    },

    async getWebhook({ headers, params }, ctx) {
      const version = headers['X-Webhook-Version']
      return { data: shown(await accessWebhook(ctx, params.webhookId, version)) }
    },

    async updateWebhook({ headers, params, body }, ctx) {
      const version = headers['X-Webhook-Version']
      const row = await changeWebhook(ctx, params.webhookId, version)
      if (body.webhookURL !== undefined) requireUrl(objectionToUrl, body.webhookURL)
      const changed = changedBy(ctx, row, body)
      requireAuth(changed.useBasicAuth, changed.username, changed.passwordEncrypted)
      await updateWebhook(ctx.db, changed, ctx.now)
      return { data: shown({ ...changed, updatedAt: ctx.now }) }
    },

    async deleteWebhook({ headers, params: { webhookId } }, ctx) {
      await changeWebhook(ctx, webhookId, headers['X-Webhook-Version'])
      await deleteWebhook(ctx.db, webhookId)
      return { data: { success: true, message: `The webhook ${webhookId} is deleted.` } }
    },

    async rotateWebhookSecret({ params }, ctx) {
      const row = await changeWebhook(ctx, params.webhookId)
      const signingSecret = newSecret()
      const changed = {
        ...row,
        secretEncrypted: ctx.vault.seal(signingSecret, secretPlace(ctx.db.appId, row.id)),
        oldSecretEncrypted: row.secretEncrypted,
        oldSecretUntil: ctx.now + oldSecretSeconds,
      }
      await updateWebhook(ctx.db, changed, ctx.now)
      return { data: { ...shown({ ...changed, updatedAt: ctx.now }), signingSecret } }
    },
  }
}

function requireUrl(objectionTo: ObjectionToUrl, url: string): void {
  const objection = objectionTo(url)
  if (objection !== undefined) throw badRequest('webhookURL', objection)
}

/** Serialised with other calls that add one. */
async function requireRoom({ db }: ReadCtx): Promise<void> {
  await lockApp(db)
  if ((await countWebhooks(db, {})) < maxWebhooks) return
  throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxWebhooks, what: 'webhooks' })
}

type Changes = Input<typeof webhooks.updateWebhook>['body']

function changedBy(ctx: ReadCtx, row: WebhookRow, body: Changes): WebhookRow {
  const { webhookURL, password, ...given } = body
  // Or whoever may change the address could have the password sent to themselves.
  const moves = webhookURL !== undefined && !isSameOrigin(webhookURL, row.url)
  if (moves && row.passwordEncrypted && password === undefined) {
    throw badRequest('password', 'Send this secret again when the address changes.')
  }
  // Whoever switches it on again says that it is repaired.
  const repaired = body.enabled === true && { failingSince: null, disabledAt: null }
  return {
    ...row,
    ...given,
    ...repaired,
    url: webhookURL ?? row.url,
    passwordEncrypted: sealedPassword(ctx, row.id, password) ?? row.passwordEncrypted,
  }
}

function sealedPassword(
  { db, vault }: ReadCtx,
  id: string,
  password: string | undefined,
): Buffer | undefined {
  return password === undefined ? undefined : vault.seal(password, passwordPlace(db.appId, id))
}

function requireAuth(wanted: boolean, username: string | null, password: Buffer | null): void {
  if (wanted && username === null) throw badRequest('username', 'useBasicAuth needs a user name.')
  if (wanted && password === null) throw badRequest('password', 'useBasicAuth needs a password.')
}

/** Secrets are not shown again. */
function shown(row: WebhookRow): Webhook {
  return {
    id: row.id,
    name: row.name,
    webhookURL: row.url,
    useBasicAuth: row.useBasicAuth,
    ...(row.username !== null && { username: row.username }),
    enabled: row.enabled,
    retryOnFailure: row.retryOnFailure,
    retryHours: row.retryHours,
    onFailure: row.onFailure,
    ...(row.failingSince !== null && { failingSince: row.failingSince }),
    ...(row.disabledAt !== null && { disabledAt: row.disabledAt }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function requireTriggers(version: number, triggers: readonly string[]): void {
  const known = knownTriggers(version)
  const stranger = triggers.find((trigger) => !known.has(trigger))
  if (stranger === undefined) return
  throw badRequest(
    'triggers',
    `There is no trigger ${stranger}. Use: ${[...known.keys()].join(', ')}.`,
  )
}
