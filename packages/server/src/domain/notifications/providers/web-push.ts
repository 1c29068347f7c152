import { generateKeyPairSync } from 'node:crypto'
import type { webPush } from '@chorale/contract/notifications'
import type { Handlers, WriteCtx } from '../../../pipeline/handler.ts'
import { lockApp } from '../../apps/index.ts'
import { findProvider, type ProviderKey, type ProviderRow } from './providers.sql.ts'
import { storeProvider } from './providers.ts'

const webKey: ProviderKey = { channel: 'push', kind: 'web', providerId: 'web' }

export const webPushHandlers: Handlers<typeof webPush> = {
  async getWebPushKey(_, ctx) {
    const provider = (await findProvider(ctx.db, webKey)) ?? (await makeWebProvider(ctx))
    // Written by `makeWebProvider`.
    return { data: { publicKey: provider.settings.publicKey as string } }
  },
}

/** Made when it is first asked for. It stays: what browsers subscribed with cannot be changed. */
async function makeWebProvider(ctx: WriteCtx): Promise<Pick<ProviderRow, 'settings'>> {
  await lockApp(ctx.db)
  const made = await findProvider(ctx.db, webKey)
  if (made) return made
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d } = privateKey.export({ format: 'jwk' })
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const settings = { publicKey: Buffer.concat(point).toString('base64url') }
  await storeProvider(ctx, webKey, { settings, secret: d, isEnabled: true })
  return { settings }
}
