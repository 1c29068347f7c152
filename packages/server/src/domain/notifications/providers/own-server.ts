import { type Egress, EgressError } from '../../../egress/egress.ts'
import { later, type PushOutcome } from '../../../transports/outcome.ts'
import type { Provider } from './providers.ts'

/** A server of the app's own, which takes what is to be sent and does the rest. */
export interface OwnServer {
  readonly url: string
  readonly basicAuth: { readonly username: string; readonly password: string } | undefined
}

export function ownServerOf({
  settings,
  secret,
}: Pick<Provider, 'settings' | 'secret'>): OwnServer {
  const text = (name: string) => String(settings[name] ?? '')
  const basicAuth = { username: text('basicAuthUsername'), password: secret }
  return { url: text('webhookURL'), basicAuth: settings.useBasicAuth ? basicAuth : undefined }
}

interface OwnServerCall {
  readonly channel: 'push' | 'email' | 'sms'
  readonly data: object
  readonly appId: string
  readonly region: string
  /** The same for every attempt. */
  readonly id: string
  readonly timeoutMs: number
}

export async function callOwnServer(
  egress: Egress,
  { url, basicAuth }: OwnServer,
  { channel, data, appId, region, id, timeoutMs }: OwnServerCall,
): Promise<PushOutcome> {
  const trigger = `${channel}-notification-payload-generated`
  const pair = basicAuth && Buffer.from(`${basicAuth.username}:${basicAuth.password}`)
  try {
    const { status } = await egress.call({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(pair && { authorization: `Basic ${pair.toString('base64')}` }),
      },
      body: JSON.stringify({ trigger, data, appId, region, webhook: 'custom' }),
      timeoutMs,
      maxBytes: 4096,
      target: `custom ${channel} ${appId}`,
    })
    if (status >= 200 && status < 300) return { is: 'accepted' }
    const reason = `The server of the app answered ${status}.`
    return status >= 500 || status === 429 ? later(reason) : { is: 'refused', reason }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const { reason, message } = error
    const never = reason === 'refused-address' || reason === 'refused-url'
    return never ? { is: 'refused', reason: message } : later(message)
  }
}
