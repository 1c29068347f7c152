import { randomBytes } from 'node:crypto'
import type { Api } from '../../packages/contract/src/api.ts'
import type { Client } from '../../packages/contract/src/operation.ts'
import { restClient } from '../../packages/sdk/src/index.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { createManagementKey } from '../../packages/server/src/domain/apps/index.ts'
import { assemble, openLog, unixSeconds } from '../../packages/server/src/main/assemble.ts'
import {
  createScratchDatabase,
  type ScratchDatabase,
} from '../../packages/server/src/testing/scratch-database.ts'
import { ensureServices, type Services } from '../../tools/services.ts'
import type { Report } from './report.ts'

export interface Bench {
  readonly name: string
  readonly summary: string
  run(ctx: BenchContext): Promise<Report>
}

/** What a bench works with. All of it is gone when the bench ends. */
export interface BenchContext {
  readonly services: Services
  /** Progress, to standard error: figures go into the report. */
  say(line: string): void
  freshDatabase(): Promise<ScratchDatabase>
  /** The service in this process, on a free port. */
  startServer(databaseUrl: string): Promise<BenchServer>
}

interface BenchServer {
  readonly origin: string
  /** A new app that no rate limit stops. */
  newApp(name: string): Promise<BenchApp>
}

export interface BenchApp {
  readonly appId: string
  readonly apiKey: string
  readonly client: Client<Api>
}

export async function runBench(bench: Bench, say: (line: string) => void): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const services = await ensureServices()
  return await bench.run({
    services,
    say,
    freshDatabase: async () => stack.use(await createScratchDatabase(services.databaseUrl)),
    startServer: (databaseUrl) => startServer(services.natsUrl, databaseUrl, stack),
  })
}

async function startServer(
  natsUrl: string,
  databaseUrl: string,
  stack: AsyncDisposableStack,
): Promise<BenchServer> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
    // Any number gives the management API its own listener; both take a free port below.
    MANAGEMENT_PORT: '1',
  })
  const assembly = stack.use(await assemble({ config, log: openLog('silent') }))
  const origins: string[] = []
  for (const { server } of assembly.servers) {
    origins.push(await server.listen({ host: '127.0.0.1', port: 0 }))
  }
  const [origin = '', managementOrigin = ''] = origins
  const { database, vault } = assembly
  const pair = await createManagementKey({ db: database.db }, vault, 'bench', unixSeconds())
  const management = { url: managementOrigin, ...pair }
  return {
    origin,
    async newApp(name) {
      const operator = restClient({ baseUrl: `${origin}/v3`, management })
      const { data } = await operator.createApp({ body: { name } })
      const settings = { 'rateLimits.standard': 1_000_000_000, 'rateLimits.core': 1_000_000_000 }
      await operator.mapAppSettings({ params: { appId: data.id }, body: { settings } })
      const keys = Object.values(data.apiKeys ?? {})
      const apiKey = keys.find(({ scope }) => scope === 'fullAccess')?.apiKey ?? ''
      const baseUrl = `${origin}/v3`
      const client = restClient({ baseUrl, appId: data.id, apiKey, management })
      return { appId: data.id, apiKey, client }
    },
  }
}
