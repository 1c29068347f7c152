import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, allOperations, type OperationName } from '@chorale/contract/api'
import type { Client, DeviceOperations } from '@chorale/contract/operation'
import { ChoraleError, deviceClient, restClient } from '@chorale/sdk'
import { sql } from 'kysely'
import { pino } from 'pino'
import { inject } from 'vitest'
import { readConfig } from '../../../server/src/config.ts'
import type { Db } from '../../../server/src/database/db.ts'
import { createManagementKey } from '../../../server/src/domain/apps/keys/index.ts'
import { unixSeconds } from '../../../server/src/main/clock.ts'
import type { Listener } from '../../../server/src/outbox/listener.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { storageKeysIn } from '../network/storage-keys.ts'
import { type Given, givenWith } from './builders.ts'
import { note } from './contract-coverage.ts'
import { fetchWithin } from './fetch-within.ts'
import { type Service, startService } from './service.ts'
import { openShadow, type Shadow } from './shadow.ts'

/** Who calls: a key of the app, or the operator. */
export type As = 'full' | 'auth'

export interface AppKeys {
  readonly appId: string
  readonly full: string
  readonly auth: string
}

interface ManagementKey {
  readonly key: string
  readonly secret: string
}

export interface TestApp extends AsyncDisposable {
  readonly appId: string
  readonly keys: AppKeys
  readonly management: ManagementKey
  /** `http://127.0.0.1:port`, for tests that look at the wire itself. */
  readonly origin: string
  readonly managementOrigin: string
  /** Of `/metrics` and the checks of health. */
  readonly operationsOrigin: string
  readonly databaseUrl: string
  /** With it another process can serve the same install. */
  readonly masterKey: string
  readonly db: Db
  /** One function per operation, checked against the contract, followed by the shadow. */
  as(who: As): Client<Api>
  /** A device of this user, with an auth token of its own; followed by the shadow. */
  device(uid: string): Promise<Device>
  readonly given: Given
  /** Events that the app has recorded, oldest first. Not with `live`: published ones are deleted. */
  events(): Promise<{ name: string; payload: unknown }[]>
  startWorker(listeners: readonly Listener[]): void
  /** For tests that make jobs due by hand, or move the clock: no commit has woken the runners. */
  wake(queue: { readonly name: string }): void
  /** Where files lie; made with the first. */
  readonly filesFolder: string
  /** Goes to an address of the folder of files, or of a store. */
  fetchFile(url: string, init?: RequestInit): Promise<Response>
  /** Another app in the same install, without a shadow. */
  anotherApp(): Promise<AppKeys>
  /** Calls with these credentials, whether they are right or wrong. */
  client(keys: AppKeys, who: As, operator?: ManagementKey): Client<Api>
}

export interface Device {
  readonly authToken: string
  readonly calls: Client<DeviceOperations<Api>>
}

export interface TestAppOptions {
  /** Tests with calls at the same time cannot be followed step by step. */
  readonly shadow?: boolean
  /** False: calls by API key stay in the process, for tests that make very many. */
  readonly sockets?: boolean
  readonly clock?: () => number
  /** Beside those of every test, or instead of them. */
  readonly settings?: Readonly<Record<string, string>>
  /** Events go to NATS and to these listeners; without this they stay in the outbox. */
  readonly live?: Live
  /** Of the console: it has pages then. */
  readonly consoleFiles?: string
  /** Takes the lines that a service at work writes. */
  readonly logLine?: (line: string) => void
}

interface Live {
  readonly listeners?: readonly Listener[]
  /** Devices can connect to `origin`. */
  readonly gateway?: boolean
  /** Beside those of every test, or instead of them. */
  readonly settings?: Readonly<Record<string, string>>
}

/** The service on its own database, cloned from the migrated template, with an app and its shadow. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await cloneDatabase())
  const masterKey = randomBytes(32).toString('base64')
  stack.defer(() => rm(filesFolder(database.url), { recursive: true, force: true }))
  const service = stack.use(await serve(database.url, masterKey, options))
  const { origin, managementOrigin, operationsOrigin } = service
  const { db } = service.core.foreground
  const management = await createManagementKey(
    { db },
    service.core.vault,
    { name: 'tests' },
    unixSeconds(),
  )
  const within = fetchWithin(service.servers)
  const client = (keys: AppKeys, who: As, operator: ManagementKey = management) =>
    restClient({
      ...(options.sockets === false && { fetch: within }),
      baseUrl: `${origin}/v3`,
      appId: keys.appId,
      apiKey: keys[who],
      management: { url: managementOrigin, ...operator },
    })
  const anotherApp = async () => {
    const none = client({ appId: '', full: '', auth: '' }, 'full')
    const { data } = await none.createApp({ body: { name: 'Test' } })
    const made = Object.values(data.apiKeys ?? {})
    const ofScope = (scope: string) => made.find((key) => key.scope === scope)?.apiKey ?? ''
    return { appId: data.id, full: ofScope('fullAccess'), auth: ofScope('authOnly') }
  }
  const keys = await anotherApp()
  const shadowKeys = await anotherApp()
  const shadow =
    options.shadow === false
      ? undefined
      : stack.use(await openShadow(database.url, keys.appId, shadowKeys.appId))
  const as = (who: As) => checked(client(keys, who), client(shadowKeys, who), shadow)
  const onDevice = async (of: AppKeys, uid: string) => {
    const { data } = await client(of, 'auth').createAuthToken({
      params: { uid },
      body: { force: true },
    })
    const { appId, authToken } = { ...of, ...data }
    return { authToken, calls: deviceClient({ baseUrl: `${origin}/v3`, appId, authToken }) }
  }
  const owned = stack.move()
  return {
    appId: keys.appId,
    keys,
    management,
    origin,
    managementOrigin,
    operationsOrigin,
    databaseUrl: database.url,
    masterKey,
    db,
    as,
    async device(uid) {
      const { authToken, calls } = await onDevice(keys, uid)
      const shadowDevice = shadow && (await onDevice(shadowKeys, uid))
      if (shadowDevice) shadow.pair(authToken, shadowDevice.authToken)
      return { authToken, calls: checked(calls, shadowDevice?.calls ?? calls, shadow) }
    },
    given: givenWith(as('full')),
    async events() {
      if (options.live) throw new Error('Events are published, and deleted: use a listener.')
      return await eventsOf(db, keys.appId)
    },
    startWorker: (listeners) => service.startWorker(listeners),
    wake: ({ name }) => service.core.wakeUp.wake([name]),
    filesFolder: filesFolder(database.url),
    fetchFile: (url, init) => fetch(url.replace(filesUrl, origin), init),
    anotherApp,
    client: (...credentials) => checked(client(...credentials), client(...credentials), undefined),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Its port is not known before the service listens: `fetchFile` asks the right one. */
const filesUrl = 'http://files.localhost'

function filesFolder(databaseUrl: string): string {
  return join(tmpdir(), `chorale-files-${new URL(databaseUrl).pathname.slice(1)}`)
}

async function serve(
  databaseUrl: string,
  masterKey: string,
  { clock, live, consoleFiles, settings, logLine }: TestAppOptions,
): Promise<Service> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    NATS_URL: inject('natsUrl'),
    // Tests are full of wrong keys.
    AUTH_REFUSALS_PER_MINUTE: '0',
    CHORALE_MASTER_KEY: masterKey,
    CONSOLE_URL: 'http://console.localhost',
    // Any number gives the management API its own listener; all take free ports.
    MANAGEMENT_PORT: '1',
    LISTENER_RETRY_MS: '20',
    // Made with the first file.
    FILES_FOLDER: filesFolder(databaseUrl),
    FILES_URL: filesUrl,
    // Most tests send bytes that are no file of any type.
    FILES_CHECK: 'off',
    ...settings,
    ...live?.settings,
  })
  const log = logLine
    ? pino({ level: 'info' }, { write: logLine })
    : pino({ level: process.env.TEST_LOG ?? 'silent' })
  const publishes = live !== undefined
  const service = await startService({
    config,
    log,
    strictAnswers: true,
    lazyValidation: true,
    publishes,
    gateway: live?.gateway ?? false,
    ...(clock && { clock }),
    ...(consoleFiles !== undefined && { consoleFiles }),
  })
  if (live?.listeners) service.startWorker(live.listeners)
  return service
}

/** Every answer is noted for the contract's coverage; the shadow follows where there is one. */
function checked<T extends object>(client: T, shadowClient: T, shadow: Shadow | undefined): T {
  const calls: Record<string, unknown> = {}
  for (const [name, operation] of allOperations) {
    if (!(name in client)) continue
    const inApp = noting(name, client)
    const inInstall = operation.requires === 'management' && !operation.path.includes(':appId')
    calls[name] =
      shadow && !inInstall
        ? (input: unknown) => shadow.follow(name, input, inApp, noting(name, shadowClient))
        : inApp
  }
  // A function for each that the client has.
  return calls as T
}

function noting(name: OperationName, client: object) {
  // The input's type is the contract's, checked where the test calls.
  const { [name]: call } = client as Record<string, (input: unknown) => Promise<unknown>>
  return async (input: unknown) => {
    try {
      const answer = await call?.(input)
      const shown = storageKeysIn(answer)
      if (shown.length > 0) throw new Error(`${name} shows how it is stored: ${shown.join(', ')}`)
      note(name, 'ok')
      return answer
    } catch (error) {
      if (error instanceof ChoraleError) note(name, error.code)
      throw error
    }
  }
}

async function eventsOf(db: Db, appId: string) {
  const { rows } = await sql<{ name: string; payload: unknown }>`
    select name, payload from outbox where app_id = ${appId} order by event_id`.execute(db)
  return rows
}
