import type { OnFailure } from '@chorale/contract/webhooks'
import { sql } from 'kysely'
import { type AppDb, allOf, startingWith } from '../../database/app-db.ts'
import type { PageRequest } from '../../database/keyset.ts'

export interface WebhookRow {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly url: string
  readonly useBasicAuth: boolean
  readonly username: string | null
  readonly passwordEncrypted: Buffer | null
  readonly secretEncrypted: Buffer
  readonly oldSecretEncrypted: Buffer | null
  readonly oldSecretUntil: number | null
  readonly enabled: boolean
  readonly retryOnFailure: boolean
  readonly retryHours: number
  readonly onFailure: OnFailure
  readonly triggers: readonly string[]
  readonly failingSince: number | null
  readonly disabledAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Needs the table `w`. */
/** Of the table `w`. */
export const webhookColumns = `
  w.webhook_id as id, w.version, w.name, w.url, w.use_basic_auth as "useBasicAuth", w.username,
  w.password_encrypted as "passwordEncrypted", w.secret_encrypted as "secretEncrypted",
  w.old_secret_encrypted as "oldSecretEncrypted", w.old_secret_until as "oldSecretUntil",
  w.enabled, w.retry_on_failure as "retryOnFailure", w.retry_hours as "retryHours",
  w.on_failure as "onFailure", w.triggers, w.failing_since as "failingSince",
  w.disabled_at as "disabledAt", w.created_at as "createdAt", w.updated_at as "updatedAt"`

/** All that a new one is given. */
export type NewWebhook = Omit<
  WebhookRow,
  'oldSecretEncrypted' | 'oldSecretUntil' | 'failingSince' | 'disabledAt' | 'updatedAt'
>

/** False when the id is taken. */
export async function insertWebhook({ appId, db }: AppDb, row: NewWebhook): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into webhooks (app_id, webhook_id, version, name, url, use_basic_auth, username,
                          password_encrypted, secret_encrypted, enabled, retry_on_failure,
                          retry_hours, on_failure, triggers, created_at, updated_at)
    values (${appId}, ${row.id}, ${row.version}, ${row.name}, ${row.url}, ${row.useBasicAuth},
            ${row.username}, ${row.passwordEncrypted}, ${row.secretEncrypted}, ${row.enabled},
            ${row.retryOnFailure}, ${row.retryHours}, ${row.onFailure}, ${row.triggers},
            ${row.createdAt}, ${row.createdAt})
    on conflict (app_id, webhook_id) do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** Of whichever generation, where none is named. */
export async function findWebhook(
  { appId, db }: AppDb,
  id: string,
  version: number | undefined,
  lock: boolean,
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    select ${sql.raw(webhookColumns)} from webhooks w
    where w.app_id = ${appId} and w.webhook_id = ${id}
      and ${version === undefined ? sql`true` : sql`w.version = ${version}`}
    ${lock ? sql`for no key update` : sql``}`.execute(db)
  return rows[0]
}

interface WebhookFilter {
  readonly version?: number
  readonly searchKey?: string
}

function matching(appId: string, { version, searchKey }: WebhookFilter) {
  const prefix = searchKey && startingWith(searchKey)
  return allOf([
    sql`w.app_id = ${appId}`,
    version === undefined ? undefined : sql`w.version = ${version}`,
    prefix ? sql`(w.webhook_id ilike ${prefix} or w.name ilike ${prefix})` : undefined,
  ])
}

export async function listWebhooks(
  { appId, db }: AppDb,
  filter: WebhookFilter & PageRequest,
): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select ${sql.raw(webhookColumns)} from webhooks w where ${matching(appId, filter)}
    order by w.webhook_id
    limit ${filter.perPage} offset ${(filter.page - 1) * filter.perPage}`.execute(db)
  return rows
}

export async function countWebhooks({ appId, db }: AppDb, filter: WebhookFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from webhooks w where ${matching(appId, filter)}`.execute(db)
  return rows[0]?.n ?? 0
}

/** The whole row, read under lock and changed. */
export async function updateWebhook(
  { appId, db }: AppDb,
  row: WebhookRow,
  now: number,
): Promise<void> {
  await sql`
    update webhooks
    set name = ${row.name}, url = ${row.url}, use_basic_auth = ${row.useBasicAuth},
        username = ${row.username}, password_encrypted = ${row.passwordEncrypted},
        secret_encrypted = ${row.secretEncrypted},
        old_secret_encrypted = ${row.oldSecretEncrypted}, old_secret_until = ${row.oldSecretUntil},
        enabled = ${row.enabled}, retry_on_failure = ${row.retryOnFailure},
        retry_hours = ${row.retryHours}, on_failure = ${row.onFailure}, triggers = ${row.triggers},
        failing_since = ${row.failingSince}, disabled_at = ${row.disabledAt}, updated_at = ${now}
    where app_id = ${appId} and webhook_id = ${row.id}`.execute(db)
}

export async function deleteWebhook({ appId, db }: AppDb, id: string): Promise<void> {
  await sql`delete from webhooks where app_id = ${appId} and webhook_id = ${id}`.execute(db)
}
