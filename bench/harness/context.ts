import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Api } from '../../packages/contract/src/api.ts'
import type { Client } from '../../packages/contract/src/operation.ts'
import { restClient } from '../../packages/sdk/src/index.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { createManagementKey } from '../../packages/server/src/domain/apps/keys/index.ts'
import { unixSeconds } from '../../packages/server/src/main/clock.ts'
import { openLog } from '../../packages/server/src/main/log.ts'
import { openVault, type Vault } from '../../packages/server/src/vault/vault.ts'
import { deleteStreams } from '../../packages/testing/src/engines/event-streams.ts'
import {
  createScratchDatabase,
  type ScratchDatabase,
} from '../../packages/testing/src/engines/scratch-database.ts'
import { startService } from '../../packages/testing/src/service/service.ts'
import { ensureServices, type Services } from '../../tools/services.ts'
import type { Report } from './report.ts'
import { type Serving, type Settings, startServing } from './serving.ts'

export interface Bench {
  readonly name: string
  readonly summary: string
  run(ctx: BenchContext): Promise<Report>
}

/** What a caller may ask to be smaller or larger than the bench has it. */
export interface BenchOptions {
  readonly seconds?: number
  readonly rounds?: number
  readonly rows?: number
}

/** What a bench works with. All of it is gone when the bench ends. */
export interface BenchContext {
  readonly services: Services
  readonly options: BenchOptions
  /** Holds the secrets of all apps. */
  readonly vault: Vault
  /** Progress, to standard error: figures go into the report. */
  say(line: string): void
  freshDatabase(): Promise<ScratchDatabase>
  /** The service in this process, on a free port. */
  startServer(databaseUrl: string): Promise<BenchServer>
  /** The service as it is run, `chorale serve`, with an app to call it by; only the API if not said. */
  serve(databaseUrl: string, parts?: string, more?: Settings, processes?: number): Promise<Served>
  /** The same with an app of each of these names. */
  serveApps(databaseUrl: string, names: readonly string[]): Promise<ServedApps>
  /** Its API twice, in one process and in one for each core; the app is the same. */
  serveOnOneAndAllCores(databaseUrl: string): Promise<OneAndAll>
  /** The same with gateways beside the api, each in its own process. */
  serveApart(databaseUrl: string, gateways: number, more?: Settings): Promise<ServedApart>
  /** All parts in one process, and apps of these names; those in `limited` have the usual limits. */
  serveTogether<K extends string>(
    databaseUrl: string,
    names: readonly K[],
    limited: readonly K[],
    more?: Settings,
  ): Promise<{ readonly serving: Serving; readonly apps: Readonly<Record<K, AppOf>> }>
  /** The api and a worker, each in its own process, and apps of these names. */
  serveWorking<K extends string>(
    databaseUrl: string,
    names: readonly K[],
    more?: Settings,
  ): Promise<ServedWorking<K>>
}

type AppSettings = Readonly<Record<string, number>>

const noLimits: AppSettings = {
  'rateLimits.standard': 1_000_000_000,
  'rateLimits.core': 1_000_000_000,
  'rateLimits.device': 1_000_000_000,
  'moderation.ruleLimit': 1000,
}

interface BenchServer {
  readonly origin: string
  /** A new app that no limit stops, unless other settings are given. */
  newApp(name: string, settings?: AppSettings): Promise<BenchApp>
}

export interface BenchApp {
  readonly appId: string
  readonly apiKey: string
  readonly client: Client<Api>
}

export interface Served extends Serving, AppOf {}

export interface OneAndAll {
  readonly one: Served
  readonly all: Served
}

type AppOf = Pick<BenchApp, 'appId' | 'apiKey'>

interface ServedApps {
  /** With the first of the apps. */
  readonly served: Served
  readonly apps: readonly AppOf[]
}

interface ServedWorking<K extends string> {
  readonly api: Serving
  readonly worker: Serving
  readonly apps: Readonly<Record<K, AppOf>>
}

interface ServedApart {
  readonly api: Served
  readonly gateways: readonly Serving[]
}

export async function runBench(
  bench: Bench,
  say: (line: string) => void,
  options: BenchOptions = {},
): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const services = await ensureServices()
  const streams = `bench-${randomBytes(4).toString('hex')}`
  stack.defer(() => deleteStreams(services.natsUrl, streams))
  const masterKey = randomBytes(32).toString('base64')
  const settingsFor = (databaseUrl: string) => ({
    DATABASE_URL: databaseUrl,
    NATS_URL: services.natsUrl,
    NATS_PREFIX: `${streams}-${randomBytes(4).toString('hex')}`,
    CHORALE_MASTER_KEY: masterKey,
  })
  return await bench.run({
    services,
    options,
    vault: openVault(Buffer.from(masterKey, 'base64')),
    say,
    freshDatabase: async () => stack.use(await createScratchDatabase(services.databaseUrl)),
    startServer: (databaseUrl) => startServer(settingsFor(databaseUrl), stack),
    serve: (databaseUrl, parts = 'api', more = {}, processes = 1) =>
      serve({ ...settingsFor(databaseUrl), ...more }, stack, parts, processes),
    async serveApps(databaseUrl, names) {
      const settings = settingsFor(databaseUrl)
      const apps = Object.values(await newApps(settings, names))
      const [first] = apps
      if (!first) throw new Error('There is no app to serve.')
      const serving = stack.use(await startServing(settings, 'api'))
      return { apps, served: { ...serving, ...first } }
    },
    async serveOnOneAndAllCores(databaseUrl) {
      const settings = settingsFor(databaseUrl)
      const one = await serve(settings, stack, 'api')
      const all = stack.use(await startServing(settings, 'api', availableParallelism()))
      return { one, all: { ...one, ...all } }
    },
    async serveApart(databaseUrl, count, more = {}) {
      const settings = { ...settingsFor(databaseUrl), ...more }
      const api = await serve(settings, stack, 'api')
      const gateways: Serving[] = []
      while (gateways.length < count) {
        gateways.push(stack.use(await startServing(settings, 'gateway')))
      }
      return { api, gateways }
    },
    async serveTogether(databaseUrl, names, limited, more = {}) {
      const settings = { ...settingsFor(databaseUrl), ...more }
      const apps = await newApps(settings, names, limited)
      return { apps, serving: stack.use(await startServing(settings, 'api,gateway,worker')) }
    },
    async serveWorking(databaseUrl, names, more = {}) {
      const settings = { ...settingsFor(databaseUrl), ...more }
      const apps = await newApps(settings, names)
      const api = stack.use(await startServing(settings, 'api'))
      return { api, worker: stack.use(await startServing(settings, 'worker')), apps }
    },
  })
}

async function newApps<K extends string>(
  settings: Settings,
  names: readonly K[],
  limited: readonly K[] = [],
) {
  await using brief = new AsyncDisposableStack()
  const { newApp } = await startServer(settings, brief)
  const made: [K, AppOf][] = []
  for (const name of names) {
    const { appId, apiKey } = await newApp(name, limited.includes(name) ? {} : noLimits)
    made.push([name, { appId, apiKey }])
  }
  // One for each name.
  return Object.fromEntries(made) as Record<K, AppOf>
}

async function serve(
  settings: Settings,
  stack: AsyncDisposableStack,
  parts: string,
  processes = 1,
): Promise<Served> {
  const { bench } = await newApps(settings, ['bench'])
  const serving = stack.use(await startServing(settings, parts, processes))
  return { ...serving, ...bench }
}

async function startServer(settings: Settings, stack: AsyncDisposableStack): Promise<BenchServer> {
  // Any number gives the management API its own listener; all take free ports.
  const config = readConfig({ ...settings, MANAGEMENT_PORT: '1' })
  const service = stack.use(await startService({ config, log: openLog('silent') }))
  const { core, origin, managementOrigin } = service
  const pair = await createManagementKey(
    { db: core.foreground.db },
    core.vault,
    { name: 'bench' },
    unixSeconds(),
  )
  const management = { url: managementOrigin, ...pair }
  return {
    origin,
    async newApp(name, settings = noLimits) {
      const operator = restClient({ baseUrl: `${origin}/v3`, management })
      const { data } = await operator.createApp({ body: { name } })
      await operator.mapAppSettings({ params: { appId: data.id }, body: { settings } })
      const keys = Object.values(data.apiKeys ?? {})
      const apiKey = keys.find(({ scope }) => scope === 'fullAccess')?.apiKey ?? ''
      const baseUrl = `${origin}/v3`
      const client = restClient({ baseUrl, appId: data.id, apiKey, management })
      return { appId: data.id, apiKey, client }
    },
  }
}
