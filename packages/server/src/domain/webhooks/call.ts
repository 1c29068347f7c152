import type { Egress, EgressAnswer } from '../../egress/egress.ts'
import type { Vault } from '../../vault/vault.ts'
import { passwordPlace, signatureHeaders } from './secrets.ts'
import type { WebhookRow } from './webhooks.sql.ts'

interface Caller {
  readonly egress: Egress
  readonly vault: Vault
  readonly timeoutMs: number
  /** Of the answer; there may be more in it than is believed or kept. */
  readonly maxBytes: number
}

/** One call, signed. Answers whatever the receiver answers, or throws an `EgressError`. */
export function callWebhook(
  { egress, vault, timeoutMs, maxBytes }: Caller,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'useBasicAuth' | 'username' | 'passwordEncrypted'> &
    Parameters<typeof signatureHeaders>[0],
  sent: Parameters<typeof signatureHeaders>[2],
): Promise<EgressAnswer> {
  const { url, useBasicAuth, username, passwordEncrypted } = webhook
  const password =
    passwordEncrypted && vault.open(passwordEncrypted, passwordPlace(sent.appId, webhook.id))
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  return egress.call({
    url,
    method: 'POST',
    timeoutMs,
    maxBytes,
    body: sent.body,
    target: `${sent.appId}/webhooks/${webhook.id}`,
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders(webhook, vault, sent),
      ...(useBasicAuth && { authorization: `Basic ${basic}` }),
    },
  })
}
