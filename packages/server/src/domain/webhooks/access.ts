import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import { findWebhook, type WebhookRow } from './webhooks.sql.ts'

/** The only way to a webhook; of whichever generation, where none is named. */
export async function accessWebhook(
  { db }: ReadCtx,
  id: string,
  purpose: 'read' | 'change',
  version?: number,
): Promise<WebhookRow> {
  const row = await findWebhook(db, id, version, purpose === 'change')
  if (!row) throw new Failure('ERR_WEBHOOK_NOT_FOUND', { id })
  return row
}
