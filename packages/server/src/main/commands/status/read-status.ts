import { jetstreamManager } from '@nats-io/jetstream'
import { type ConsumerLag, readConsumerLag } from '../../../bus/consumer-lag.ts'
import type { ProcessReport } from '../../../bus/process-reports.ts'
import { lastMigration } from '../../../database/migrator.ts'
import { type Backlog, measureQueues } from '../../../jobs/backlog.sql.ts'
import { measureBacklog } from '../../../outbox/backlog.ts'
import { unixSeconds } from '../../clock.ts'
import { queues } from '../../queues.ts'
import { versionOfPackage } from '../../version.ts'
import { connectionsByAddress, readServer } from '../doctor/database.sql.ts'
import { allChecks, examine, type Result } from '../doctor/examination.ts'
import type { Subject } from '../doctor/subject.ts'
import { processCheck } from './processes.ts'

/** Checks of the doctor that take no time, and see what breaks while an install runs. */
const quick = [
  'settings',
  'setting-values',
  'database',
  'clock',
  'connections',
  'transactions',
  'disk',
  'schema',
  'nats',
  'jetstream',
  'streams',
  'positions',
  'dead-letters',
  'workers',
  'outbox',
  'queues',
]

/** Null is what could not be read; a problem says why. */
export interface Status {
  readonly ok: boolean
  /** Of this program. */
  readonly version: string
  readonly database: DatabaseStatus | null
  readonly nats: NatsStatus | null
  readonly processes: readonly ProcessReport[] | null
  readonly queues: readonly Backlog[] | null
  readonly outbox: OutboxStatus | null
  readonly problems: readonly Result[]
}

interface DatabaseStatus {
  readonly version: string
  /** The last migration that was applied. */
  readonly schema: string | undefined
  readonly connections: number
  readonly maxConnections: number
  /** Connections of Chorale, by the address that they come from. */
  readonly addresses: Readonly<Record<string, number>>
}

interface NatsStatus {
  readonly version: string
  readonly consumers: readonly ConsumerLag[] | null
  readonly deadLetters: number | null
}

interface OutboxStatus {
  readonly receipts: number
  readonly events: number
  readonly lagSeconds: number
}

export async function readStatus(
  subject: Subject,
  without: readonly string[] = [],
): Promise<Status> {
  const processes: ProcessReport[] = []
  const wanted = allChecks.filter(({ name }) => quick.includes(name) && !without.includes(name))
  const checks = [...wanted, processCheck(processes)]
  const results = await examine(subject, checks, { repair: false, report: () => undefined })
  const whole = new Set(
    results.filter(({ level }) => level === 'ok' || level === 'warning').map(({ check }) => check),
  )
  const problems = results.filter(({ level }) => level === 'failure' || level === 'warning')
  const hasSchema = whole.has('schema')
  return {
    ok: problems.length === 0,
    version: versionOfPackage(),
    database: whole.has('database') ? await readDatabase(subject) : null,
    nats: whole.has('nats') ? await readNats(subject, whole.has('streams')) : null,
    processes: whole.has('nats') ? processes : null,
    queues: hasSchema ? await measureQueues(subject.database.db, queues) : null,
    outbox: hasSchema ? await readOutbox(subject) : null,
    problems,
  }
}

async function readDatabase({ database: { db } }: Subject): Promise<DatabaseStatus> {
  const { versionText, connections, maxConnections } = await readServer(db)
  return {
    version: versionText,
    schema: await lastMigration(db),
    connections,
    maxConnections,
    addresses: await connectionsByAddress(db),
  }
}

async function readNats({ nats, stream }: Subject, hasStreams: boolean): Promise<NatsStatus> {
  const version = nats.info?.version ?? 'unknown'
  if (!hasStreams) return { version, consumers: null, deadLetters: null }
  const manager = await jetstreamManager(nats)
  const { state } = await manager.streams.info(stream.lettersName)
  const consumers = await readConsumerLag(manager, stream.eventsName)
  return { version, consumers, deadLetters: state.messages }
}

async function readOutbox({ database: { db } }: Subject): Promise<OutboxStatus> {
  const { receipts, events, oldestAt = unixSeconds() } = await measureBacklog(db)
  return { receipts, events, lagSeconds: Math.max(0, unixSeconds() - oldestAt) }
}
