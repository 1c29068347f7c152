import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { locked, say } from './services/commands.ts'
import { defaultNatsUrl, startNats, stopNats } from './services/nats.ts'
import {
  claimFolder,
  createDatabase,
  defaultDatabaseUrl,
  startPostgres,
  stopPostgres,
} from './services/postgres.ts'
import { probeDatabase, probeNats } from './services/probe.ts'
import { root } from './tree.ts'

// PostgreSQL and NATS for development and tests: what the environment names, or our own pair on
// loopback, which stays up after the command that started it.

export interface Services {
  readonly databaseUrl: string
  readonly natsUrl: string
}

const base = `/var/tmp/chorale-services-${userInfo().username}`

export async function ensureServices(): Promise<Services> {
  const [databaseUrl, natsUrl] = await Promise.all([
    databaseThatAnswers(process.env.DATABASE_URL),
    natsThatAnswers(process.env.NATS_URL),
  ])
  if (databaseUrl && natsUrl) return { databaseUrl, natsUrl }

  claimFolder(base)
  return locked(join(base, 'lock'), async () => ({
    databaseUrl: databaseUrl ?? (await ownDatabase()),
    natsUrl: natsUrl ?? (await ownNats()),
  }))
}

async function databaseThatAnswers(named: string | undefined): Promise<string | undefined> {
  if (named) {
    const state = await probeDatabase(named)
    if (state === 'ready' || state === 'answers') return named
    say(`DATABASE_URL is ${state}; using ${defaultDatabaseUrl} instead`)
  }
  return (await probeDatabase(defaultDatabaseUrl)) === 'ready' ? defaultDatabaseUrl : undefined
}

async function natsThatAnswers(named: string | undefined): Promise<string | undefined> {
  if (named) {
    const state = await probeNats(named)
    if (state === 'ready') return named
    say(`NATS_URL is ${state}; using ${defaultNatsUrl} instead`)
  }
  return (await probeNats(defaultNatsUrl)) === 'ready' ? defaultNatsUrl : undefined
}

// Both look again under the lock: another caller may have done the work while we waited for it.

async function ownDatabase(): Promise<string> {
  const found = await probeDatabase(defaultDatabaseUrl)
  if (found === 'silent' || found === 'starting') await startPostgres(base)
  if ((await probeDatabase(defaultDatabaseUrl)) === 'no-database') await createDatabase()
  const state = await probeDatabase(defaultDatabaseUrl)
  if (state !== 'ready') throw new Error(`the database at ${defaultDatabaseUrl} is ${state}`)
  return defaultDatabaseUrl
}

async function ownNats(): Promise<string> {
  const found = await probeNats(defaultNatsUrl)
  if (found === 'no-jetstream') throw new Error(`NATS at ${defaultNatsUrl} runs without JetStream`)
  if (found === 'silent') await startNats(base)
  return defaultNatsUrl
}

/** Stops what was started here, and nothing else. */
export async function stopServices(): Promise<void> {
  claimFolder(base)
  await locked(join(base, 'lock'), async () => {
    say((await stopPostgres(base)) ? 'PostgreSQL stopped' : 'PostgreSQL was not started here')
    say((await stopNats(base)) ? 'NATS stopped' : 'NATS was not started here')
  })
}

async function main(command = 'start'): Promise<void> {
  if (command === 'stop') return stopServices()
  if (command !== 'start') throw new Error('usage: npm run services [-- stop]')
  const services = await ensureServices()
  process.stdout.write(addressLines(services))
  writeEnvFile(services)
}

function addressLines({ databaseUrl, natsUrl }: Services): string {
  return `DATABASE_URL=${databaseUrl}\nNATS_URL=${natsUrl}\n`
}

/** What `chorale` reads in a clone. A file that is there is left alone: its master key is in use. */
function writeEnvFile(services: Services): void {
  const masterKey = `CHORALE_MASTER_KEY=${randomBytes(32).toString('base64')}\n`
  try {
    writeFileSync(join(root, '.env'), addressLines(services) + masterKey, {
      flag: 'wx',
      mode: 0o600,
    })
    say('wrote both addresses and a new master key to .env')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

if (import.meta.main) {
  await main(process.argv[2]).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}
