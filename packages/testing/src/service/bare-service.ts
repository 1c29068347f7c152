import { randomBytes } from 'node:crypto'
import type { App, Region } from '@chorale/contract/apps'
import { type Logger, pino } from 'pino'
import { inject } from 'vitest'
import { readConfig } from '../../../server/src/config.ts'
import { createManagementKey } from '../../../server/src/domain/apps/keys/index.ts'
import { unixSeconds } from '../../../server/src/main/clock.ts'
import type { Core } from '../../../server/src/main/parts/core.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { send } from '../network/wire.ts'
import { startService } from './service.ts'
import type { AppKeys } from './test-app.ts'

/** The service on one port, as an install has it by default: for tests of the wire itself. */
export interface BareService extends AsyncDisposable {
  readonly origin: string
  readonly management: { readonly key: string; readonly secret: string }
  readonly operationsOrigin: string
  readonly core: Core
  createApp(region?: Region): Promise<AppKeys>
}

export interface BareServiceOptions {
  readonly databaseUrl?: string
  readonly log?: Logger
  /** Devices can connect to `origin`. */
  readonly gateway?: true
}

export async function startBareService(options: BareServiceOptions = {}): Promise<BareService> {
  await using stack = new AsyncDisposableStack()
  const databaseUrl = options.databaseUrl ?? stack.use(await cloneDatabase()).url
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    NATS_URL: inject('natsUrl'),
    // Tests are full of wrong keys.
    AUTH_REFUSALS_PER_MINUTE: '0',
    CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
  })
  const log = options.log ?? pino({ level: process.env.TEST_LOG ?? 'silent' })
  const gateway = options.gateway ?? false
  const service = stack.use(await startService({ config, log, strictAnswers: true, gateway }))
  const { core, origin, operationsOrigin } = service
  const { db } = core.foreground
  const management = await createManagementKey({ db }, core.vault, { name: 'tests' }, unixSeconds())
  const owned = stack.move()
  return {
    origin,
    management,
    operationsOrigin,
    core,
    createApp: (region = 'us') => createApp(origin, management, region),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Another app of the install that answers there. */
export async function createApp(
  origin: string,
  management: BareService['management'],
  region: Region = 'us',
): Promise<AppKeys> {
  const { text } = await send(origin, {
    method: 'POST',
    path: '/apps',
    headers: { host: 'apimgmt.localhost', ...management },
    body: JSON.stringify({ name: 'Test', region }),
  })
  const { data } = JSON.parse(text) as { data: App }
  const keys = Object.values(data.apiKeys ?? {})
  const ofScope = (scope: string) => keys.find((key) => key.scope === scope)?.apiKey ?? ''
  return { appId: data.id, full: ofScope('fullAccess'), auth: ofScope('authOnly') }
}
