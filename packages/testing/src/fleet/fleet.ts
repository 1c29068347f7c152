import type { Listener } from '../../../server/src/outbox/listener.ts'
import { type NatsServer, startNatsServer } from '../engines/nats-server.ts'
import { startTcpBalancer, type TcpBalancer } from '../network/tcp-balancer.ts'
import { type MortalServer, startMortalServer } from '../processes/mortal-server.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'

export interface FleetSize {
  readonly gateways: number
  readonly apis: number
  readonly workers: number
}

/** An install of several processes, each of which may die, and its NATS. */
export interface Fleet extends AsyncDisposable {
  /** Served by this process too. */
  readonly app: TestApp
  readonly nats: NatsServer
  readonly gateways: readonly MortalServer[]
  readonly apis: readonly MortalServer[]
  readonly workers: readonly MortalServer[]
  /** Where devices connect. */
  readonly gatewayDoor: TcpBalancer
  /** Where servers call. */
  readonly apiDoor: TcpBalancer
}

/** The listeners run in this process, beside those of the workers. */
export async function startFleet(
  size: FleetSize,
  listeners: readonly Listener[] = [],
): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await startNatsServer())
  const live = { listeners, settings: { NATS_URL: nats.url } }
  const app = stack.use(await startTestApp({ shadow: false, live }))
  const settings = {
    DATABASE_URL: app.databaseUrl,
    NATS_URL: nats.url,
    CHORALE_MASTER_KEY: app.masterKey,
    // Together they share the database with other tests.
    DATABASE_POOL_SIZE: '4',
    DATABASE_STATEMENT_POOL_SIZE: '4',
    DATABASE_BACKGROUND_POOL_SIZE: '4',
  }
  const several = (part: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () =>
        stack.use(await startMortalServer(settings, '--parts', part)),
      ),
    )
  const gateways = await several('gateway', size.gateways)
  const apis = await several('api', size.apis)
  const workers = await several('worker', size.workers)
  const doorOf = async (servers: readonly MortalServer[]) =>
    stack.use(await startTcpBalancer(servers.map(({ origin }) => origin)))
  const gatewayDoor = await doorOf(gateways)
  const apiDoor = await doorOf(apis)
  const owned = stack.move()
  return {
    app,
    nats,
    gateways,
    apis,
    workers,
    gatewayDoor,
    apiDoor,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
