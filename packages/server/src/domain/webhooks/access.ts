import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { findWebhook, type WebhookRow } from './webhooks.sql.ts'

/** To read it; of whichever generation, where none is named. */
export async function accessWebhook(
  { db }: ReadCtx,
  id: string,
  version?: number,
): Promise<WebhookRow> {
  return found(id, await findWebhook(db, id, version, false))
}

/** Locks it. The only way to change a webhook. */
export async function changeWebhook(
  { db }: WriteCtx,
  id: string,
  version?: number,
): Promise<WebhookRow> {
  return found(id, await findWebhook(db, id, version, true))
}

function found(id: string, row: WebhookRow | undefined): WebhookRow {
  if (!row) throw new Failure('ERR_WEBHOOK_NOT_FOUND', { id })
  return row
}
