import { expect } from 'vitest'
import { openDatabase } from '../../../server/src/database/pool.ts'
import { createEmptyDatabase } from '../engines/test-database.ts'
import { startTcpBalancer } from '../network/tcp-balancer.ts'
import { send } from '../network/wire.ts'
import { type Program, type Serving, type Settings, settingsFor } from '../processes/program.ts'
import { logsOf, viewOf } from '../sends/stored.ts'
import { faultsIn } from '../sends/verdict.ts'
import { openPhases, type Phase } from './phases.ts'
import { type AppAccess, startUpgradeLoad, type UpgradeLoad } from './upgrade-load.ts'

interface Upgrade {
  readonly from: Program
  readonly to: Program
  readonly servers: number
  /** In each phase, at least. */
  readonly requests: number
}

interface Upgraded {
  readonly migrated: readonly string[]
  readonly phases: readonly Phase[]
  /** Of requests. */
  readonly failures: readonly string[]
  /** What was acknowledged, and is not exactly once in the log, and at every device. */
  readonly faults: readonly string[]
  /** What the servers logged as an error. */
  readonly errors: readonly string[]
}

const wait = { timeout: 240_000, interval: 50 }

/**
 * One release serves; the next one migrates beneath it and replaces it, server by server; then the
 * first one comes back. All that under load.
 */
export async function upgradeAndGoBack(upgrade: Upgrade): Promise<Upgraded> {
  const { from, to, servers, requests } = upgrade
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await createEmptyDatabase())
  const settings = settingsOf(database.url)
  await from.choraleJson(settings, 'migrate')
  const { origin, started, join, leave } = await openServers(settings, stack)
  const phases = openPhases()
  const more = async () => {
    const enough = phases.requests() + requests
    await expect.poll(phases.requests, wait).toBeGreaterThan(enough)
  }
  const replaceAll = async (program: Program, settings?: Settings) => {
    for (const old of started.slice(-servers)) {
      await join(program, settings)
      await more()
      await leave(old)
    }
  }
  for (let n = 0; n < servers; n++) await join(from)
  const load = stack.use(await startUpgradeLoad(origin, await createApp(from, settings), phases))
  phases.begin('previous release')
  await more()
  phases.begin('migration')
  const { migrations } = await to.choraleJson<{ migrations: string[] }>(settings, 'migrate')
  phases.begin('previous release, new schema')
  await more()
  phases.begin('new release joins, previous one leaves')
  await replaceAll(to)
  phases.begin('new release')
  await more()
  phases.begin('back: previous release joins, new one leaves')
  await replaceAll(from, { DATABASE_LATER_SCHEMA: 'allow' })
  phases.begin('previous release again')
  await more()
  phases.begin('end')
  expect(await to.choraleJson(settings, 'migrate')).toEqual({ migrations: [] })
  const faults = await faultsAfter(load, database.url)
  await expect.poll(() => undeliveredOf(load), wait).toEqual([])
  return {
    migrated: migrations,
    phases: phases.ended,
    failures: phases.failures,
    faults,
    errors: started.flatMap(errorsOf),
  }
}

/** Behind a balancer. Who joins is ready; who leaves gets no new connections, then SIGTERM. */
async function openServers(settings: Settings, stack: AsyncDisposableStack) {
  const targets: string[] = []
  const { origin } = stack.use(await startTcpBalancer(targets))
  const started: Serving[] = []
  return {
    origin,
    started,
    async join(program: Program, more: Settings = {}) {
      const serving = stack.use(await program.startServing({ ...settings, ...more }))
      started.push(serving)
      const ready = async () =>
        (await send(serving.operationsOrigin, { path: '/readyz', deadlineMs: 60_000 })).status
      await expect.poll(ready, wait).toBe(200)
      targets.push(serving.origin)
    },
    async leave(serving: Serving) {
      targets.splice(targets.indexOf(serving.origin), 1)
      serving.signal('SIGTERM')
      expect(await serving.ended).toBe(0)
    },
  }
}

/** Prints the figures of each phase. */
export function checkUpgrade({ migrated, phases, failures, faults, errors }: Upgraded): void {
  console.log(`migrated: ${migrated.join(', ')}`)
  for (const { name, ...figures } of phases) console.log(name, JSON.stringify(figures))
  expect(failures).toEqual([])
  expect(faults).toEqual([])
  expect(errors).toEqual([])
  expect(migrated).not.toEqual([])
}

function settingsOf(databaseUrl: string): Settings {
  return {
    ...settingsFor(databaseUrl),
    // Webhooks lead to this machine, which may be busy.
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_HTTP: 'true',
    WEBHOOK_TIMEOUT_MS: '10000',
    // Together they share the database with other tests.
    DATABASE_POOL_SIZE: '4',
    DATABASE_STATEMENT_POOL_SIZE: '4',
    DATABASE_BACKGROUND_POOL_SIZE: '4',
  }
}

async function createApp(program: Program, settings: Settings): Promise<AppAccess> {
  const { appId, apiKeys } = await program.choraleJson<{
    appId: string
    apiKeys: { fullAccess: string }
  }>(settings, 'app', 'create', '--name', 'Test')
  const management = await program.choraleJson<AppAccess['management']>(
    settings,
    ...['management-key', 'create', '--name', 'test'],
  )
  return { appId, apiKey: apiKeys.fullAccess, management }
}

async function faultsAfter(load: UpgradeLoad, url: string): Promise<string[]> {
  const last = await load.finish()
  const { acknowledged, devices, client } = load
  const ends = new Map(last.map(({ conversation, ids }) => [conversation, ids[0] ?? 0]))
  const heard = () => devices.flatMap((device) => device.views())
  const behind = () =>
    heard().filter(({ conversation, ids }) => !ids.includes(ends.get(conversation) ?? 0))
  await expect.poll(behind, wait).toEqual([])
  const listed = await Promise.all(
    last.map(({ conversation, sender }) => viewOf(client, conversation, sender)),
  )
  await using database = openDatabase({
    url,
    poolSize: 1,
    statementTimeoutMs: 60_000,
    onIdleError: () => undefined,
  })
  const { appId } = load
  const logs = await logsOf({ appId, db: database.db })
  const surprises = devices.flatMap((device) => device.surprises)
  return [...surprises, ...faultsIn(acknowledged, logs, [...heard(), ...listed])]
}

/** Acknowledged messages that the webhook has not received. */
function undeliveredOf({ acknowledged, receiver }: UpgradeLoad): string[] {
  const delivered = new Set(receiver.received.map(({ body }) => Number(body.data.message.id)))
  return acknowledged
    .filter(({ ids: [id = 0] }) => !delivered.has(id))
    .map(({ sender, muid }) => `${sender} ${muid}`)
}

function errorsOf(serving: Serving): string[] {
  return serving
    .output()
    .split('\n')
    .filter((line) => /"level":"?(50|60|error|fatal)\b/.test(line))
}
