import { randomBytes } from 'node:crypto'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { restClient } from '@chorale/sdk'
import { pino } from 'pino'
import { inject } from 'vitest'
import { readConfig } from '../../../server/src/config.ts'
import { natsPrefix } from '../engines/nats-prefix.ts'
import type { Settings } from '../processes/program.ts'
import { connectDevice, type Device, type DeviceOptions } from './device.ts'
import { startService } from './service.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** An app with a gateway, and devices of its users. */
export interface RealtimeFixture extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  /** With which another process joins the install. */
  readonly settings: Settings
  tokenOf(uid: string): Promise<string>
  device(uid: string, more?: Partial<DeviceOptions>): Promise<Device>
  say(from: string, to: string, text: string): Promise<string>
  sayIn(guid: string, from: string, text: string): Promise<string>
  /** The API of another process. `silent`: whose news are all lost. */
  otherApi(how: 'silent' | 'live'): Promise<{ full: Client<Api>; origin: string }>
}

export async function startRealtimeFixture(more: Settings = {}): Promise<RealtimeFixture> {
  await using stack = new AsyncDisposableStack()
  const shared = {
    NATS_URL: inject('natsUrl'),
    NATS_PREFIX: natsPrefix(),
    CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
    ...more,
  }
  const live = { gateway: true, settings: shared }
  const app = stack.use(await startTestApp({ shadow: false, live }))
  const settings = { ...shared, DATABASE_URL: app.databaseUrl }
  const full = app.as('full')
  const { appId, origin } = app
  const tokenOf = async (uid: string) =>
    (await full.createAuthToken({ params: { uid }, body: { force: true } })).data.authToken
  const send = async (
    from: string,
    body: { receiver: string; receiverType: 'user' | 'group' },
    text: string,
  ) => {
    const message = { category: 'message', type: 'text', data: { text } } as const
    const { data } = await full.sendMessage({ onBehalfOf: from, body: { ...body, ...message } })
    return 'id' in data ? String(data.id) : ''
  }
  const owned = stack.move()
  return {
    app,
    full,
    settings,
    tokenOf,
    device: async (uid, how = {}) => {
      const authToken = how.authToken ?? (await tokenOf(uid))
      return owned.use(await connectDevice({ origin, appId, ...how, authToken }))
    },
    say: (from, to, text) => send(from, { receiver: to, receiverType: 'user' }, text),
    sayIn: (guid, from, text) => send(from, { receiver: guid, receiverType: 'group' }, text),
    async otherApi(how) {
      const config = readConfig(settings)
      const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
      const publishes = how === 'live'
      const other = owned.use(await startService({ config, log, publishes, gateway: true }))
      const baseUrl = `${other.origin}/v3`
      return { full: restClient({ baseUrl, appId, apiKey: app.keys.full }), origin: other.origin }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
