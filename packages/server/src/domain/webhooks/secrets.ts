import { createHmac, randomBytes } from 'node:crypto'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
import type { SealedPlace, Vault } from '../../vault/vault.ts'
import type { WebhookRow } from './webhooks.sql.ts'

const prefix = 'whsec_'
const secretBytes = 24

/** Of the old secret too. */
export function secretPlace(appId: string, webhookId: string): SealedPlace {
  return placeIn(sealedColumns.webhookSecret, appId, webhookId)
}

export function passwordPlace(appId: string, webhookId: string): SealedPlace {
  return placeIn(sealedColumns.webhookPassword, appId, webhookId)
}

export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

interface Sent {
  readonly appId: string
  readonly eventId: string
  readonly at: number
  readonly body: string
}

type Signing = Pick<WebhookRow, 'id' | 'secretEncrypted' | 'oldSecretEncrypted' | 'oldSecretUntil'>

/** Standard Webhooks: each secret that holds signs id, time and body. */
export function signatureHeaders(
  webhook: Signing,
  vault: Vault,
  { appId, eventId: id, at, body }: Sent,
): Record<string, string> {
  const { secretEncrypted, oldSecretEncrypted, oldSecretUntil } = webhook
  const old = oldSecretEncrypted && (oldSecretUntil ?? 0) > at ? [oldSecretEncrypted] : []
  const signatures = [secretEncrypted, ...old].map((sealed) => {
    const secret = vault.open(sealed, secretPlace(appId, webhook.id)).slice(prefix.length)
    const hmac = createHmac('sha256', Buffer.from(secret, 'base64'))
    return `v1,${hmac.update(`${id}.${at}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  }
}
