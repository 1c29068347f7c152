import { randomBytes } from 'node:crypto'
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { startNatsServer } from '../engines/nats-server.ts'
import { startTcpProxy } from '../network/tcp-proxy.ts'
import type { Settings } from '../processes/program.ts'

/** Servers that were started for a fault. */
export const openedForFaults = new AsyncDisposableStack()

async function withManager(
  settings: Settings,
  work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<unknown>,
) {
  const connection = await connect({ servers: settings.NATS_URL ?? '' })
  try {
    await work(await jetstreamManager(connection))
  } finally {
    await connection.close()
  }
}

/** Where nobody listens: a proxy that was closed again. */
export async function nowhere(url = ''): Promise<string> {
  await using proxy = await startTcpProxy(url)
  return proxy.url
}

interface Fault {
  readonly fault: string
  readonly check: string
  readonly level: 'warning' | 'failure'
  readonly says: RegExp
  readonly settings?: Settings | ((settings: Settings) => Settings | Promise<Settings>)
  /** On a database of its own. */
  readonly sql?: readonly string[]
  readonly plant?: (settings: Settings) => Promise<unknown>
  readonly isRepaired?: boolean
}

const master = (bytes: number) => randomBytes(bytes).toString('base64')
export const urlWith = (settings: Settings, change: (url: URL) => void) => {
  const url = new URL(settings.DATABASE_URL ?? '')
  change(url)
  return { ...settings, DATABASE_URL: url.href }
}
const app = `insert into apps (app_id, name, region, created_at) values ('a', 'a', 'us', 1)`
const conversation = (columns: string, values: string) =>
  `insert into conversations (bucket, conversation_key, app_id, created_at, updated_at, ${columns})
   values (0, 1, 'a', 1, 1, ${values})`
const ofSettings = { level: 'failure', check: 'settings' } as const
const ofValues = { level: 'failure', check: 'setting-values' } as const
const ofDatabase = { level: 'failure', check: 'database' } as const
const ofSchema = { level: 'failure', check: 'schema' } as const
const repaired = { level: 'failure', isRepaired: true } as const

export const doctorFaults: readonly Fault[] = [
  { ...ofSettings, fault: 'no number', settings: { PORT: 'x' }, says: /PORT must be integer/ },
  {
    ...ofSettings,
    fault: 'no choice',
    settings: { DOCS: 'x' },
    says: /DOCS must be one of on, off/,
  },
  {
    ...ofSettings,
    fault: 'a mistyped name',
    settings: { DATABASE_POOL_SZIE: '3' },
    says: /DATABASE_POOL_SZIE \(did you mean DATABASE_POOL_SIZE\?\)/,
  },
  {
    ...ofSettings,
    fault: 'no master key',
    settings: { CHORALE_MASTER_KEY: '' },
    says: /openssl rand/,
  },
  {
    ...ofSettings,
    fault: 'a short key',
    settings: { CHORALE_MASTER_KEY: master(8) },
    says: /32 bytes/,
  },
  {
    fault: 'a doubtful name',
    check: 'setting-names',
    level: 'warning',
    settings: { DATABASE_HOST: 'x' },
    says: /DATABASE_HOST \(nearest: DATABASE_/,
  },
  {
    ...ofValues,
    fault: 'no file',
    settings: { NATS_CA_FILE: '/no' },
    says: /NATS_CA_FILE.*cannot be read/,
  },
  {
    ...ofValues,
    fault: 'an open NATS',
    settings: { NATS_URL: 'nats://10.1.2.3' },
    says: /NATS_ANONYMOUS/,
  },
  { ...ofValues, fault: 'no range', settings: { EGRESS_ALLOW: 'x' }, says: /EGRESS_ALLOW|range|x/ },
  { ...ofValues, fault: 'no sender', settings: { SMTP_URL: 'smtp://x' }, says: /SMTP_FROM/ },
  {
    ...ofValues,
    fault: 'two credentials',
    settings: { NATS_TOKEN: 'x', NATS_USER: 'y', NATS_PASSWORD: 'z' },
    says: /several credentials/,
  },
  {
    ...ofDatabase,
    fault: 'database away',
    settings: async (right) => ({ ...right, DATABASE_URL: await nowhere(right.DATABASE_URL) }),
    says: /does not answer.*DATABASE_URL/,
  },
  {
    ...ofDatabase,
    fault: 'no such database',
    settings: (right) => urlWith(right, (url) => Object.assign(url, { pathname: '/chorale_none' })),
    says: /does not exist.*chorale migrate/,
  },
  {
    ...ofDatabase,
    fault: 'no such role',
    settings: (right) => urlWith(right, (url) => Object.assign(url, { username: 'chorale_none' })),
    says: /refuses the user/,
  },
  {
    ...ofDatabase,
    fault: 'no address',
    settings: { DATABASE_URL: 'postgres://[' },
    says: /postgres:\/\/user/,
  },
  {
    ...ofDatabase,
    fault: 'read-only',
    settings: (right) =>
      urlWith(right, (url) =>
        url.searchParams.set('options', '-c default_transaction_read_only=on'),
      ),
    sql: [
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    ],
    says: /read-only.*writable/,
  },
  {
    fault: 'too few connections',
    check: 'connections',
    level: 'failure',
    sql: [
      `do $$ begin execute format('alter database %I connection limit 5', current_database()); end $$`,
    ],
    says: /allows 5.*DATABASE_POOL_SIZE/,
  },
  {
    fault: 'pools too large',
    check: 'connections',
    level: 'failure',
    settings: { DATABASE_POOL_SIZE: '100000' },
    says: /100018 connections/,
  },
  {
    fault: 'commits that wait for nothing',
    check: 'durability',
    level: 'failure',
    sql: [
      `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
    ],
    says: /before they are on the disk.*synchronous_commit = on/,
  },
  {
    fault: 'an invalid index',
    check: 'maintenance',
    level: 'failure',
    sql: [`update pg_index set indisvalid = false where indexrelid = 'users_by_role'::regclass`],
    says: /users_by_role.*reindex/,
  },
  {
    ...ofSchema,
    fault: 'a later schema',
    sql: [`insert into migrations values ('9999-x', 'x')`],
    says: /9999-x.*that release/,
  },
  {
    ...ofSchema,
    ...repaired,
    fault: 'functions of an earlier release',
    sql: [`update migrated_functions set checksum = 'x' where name = 'begin_epoch'`],
    says: /begin_epoch.*chorale migrate/,
  },
  {
    fault: 'no extension',
    check: 'extension',
    level: 'failure',
    sql: ['drop extension btree_gin cascade'],
    says: /btree_gin.*create extension/,
  },
  {
    ...repaired,
    fault: 'a dropped function',
    check: 'functions',
    sql: ['drop function last_id_before'],
    says: /last_id_before/,
  },
  {
    ...repaired,
    fault: 'a changed function',
    check: 'functions',
    sql: [
      `create or replace function begin_epoch(p_after bigint, p_mark bigint) returns bigint language sql as 'select 1::bigint'`,
    ],
    says: /begin_epoch.*--repair/,
  },
  {
    fault: 'another master key',
    check: 'master-key',
    level: 'failure',
    settings: (right) => ({ ...right, CHORALE_MASTER_KEY: master(32) }),
    says: /not the key of this database.*docs\/keys/,
  },
  {
    ...repaired,
    fault: 'a sequence behind its table',
    check: 'sequences',
    sql: [
      app,
      `insert into conversations (bucket, conversation_key, app_id, created_at, updated_at) values (0, 999, 'a', 1, 1)`,
    ],
    says: /conversation_keys.*epoch new/,
  },
  {
    ...repaired,
    fault: 'a wrong head',
    check: 'counters-heads',
    sql: [app, conversation('head', '5')],
    says: /1 conversations/,
  },
  {
    ...repaired,
    fault: 'wrong members',
    check: 'counters-members',
    sql: [app, conversation('participants_count', '3')],
    says: /1 conv/,
  },
  {
    ...repaired,
    fault: 'wrong unread counts',
    check: 'counters-unread',
    sql: [
      app,
      conversation('participants_count', '1'),
      `insert into participants (bucket, conversation_key, uid, app_id, own) values (0, 1, 'u', 'a', 4)`,
    ],
    says: /unread.*--repair/,
  },
  {
    ...repaired,
    fault: 'wrong replies',
    check: 'counters-replies',
    sql: [app, `insert into threads values (0, 1, 1, 'a', 2, 1)`],
    says: /replies.*1 conversations.*--repair/,
  },
  {
    ...repaired,
    fault: 'events left in the outbox',
    check: 'outbox',
    sql: [`insert into outbox values (gen_random_uuid(), 'a', 'user.created', '{}', 1000)`],
    says: /1 events wait.*chorale serve/,
  },
  {
    ...repaired,
    fault: 'appends left unpublished',
    check: 'outbox',
    sql: [
      `insert into append_receipts (at, buckets, conversation_keys, first_seqs, last_seqs) values (1000, '{}', '{}', '{}', '{}')`,
    ],
    says: /1 outbox markers/,
  },
  {
    fault: 'jobs that nobody claims',
    check: 'queues',
    level: 'warning',
    sql: [app, `insert into app_erasures (app_id, due_at) values ('a', 1000)`],
    says: /erasures of apps \(1.*--parts worker/,
  },
  {
    fault: 'NATS away',
    check: 'nats',
    level: 'failure',
    settings: async (right) => ({ ...right, NATS_URL: await nowhere(right.NATS_URL) }),
    says: /does not answer.*NATS_URL/,
  },
  {
    fault: 'wrong NATS credentials',
    check: 'nats',
    level: 'failure',
    settings: async (right) => {
      const server = await startNatsServer('authorization { user: "a", password: "b" }')
      openedForFaults.use(server)
      return { ...right, NATS_URL: server.url, NATS_USER: 'a', NATS_PASSWORD: 'c' }
    },
    says: /refuses the credentials.*NATS_PASSWORD/,
  },
  {
    ...repaired,
    fault: 'streams that are gone',
    check: 'streams',
    settings: (right) => ({ ...right, NATS_PREFIX: natsPrefix() }),
    says: /missing.*-events/,
  },
  {
    ...repaired,
    fault: 'a stream with other limits',
    check: 'streams',
    settings: (right) => ({ ...right, NATS_STREAM_HOURS: '5' }),
    sql: [],
    says: /72 h.*5 h/,
  },
  {
    level: 'warning',
    isRepaired: true,
    fault: 'a consumer of another release',
    check: 'positions',
    sql: [],
    plant: (right) =>
      withManager(right, ({ consumers }) =>
        consumers.add(`${right.NATS_PREFIX}-events`, {
          durable_name: 'other-0',
          ack_policy: AckPolicy.Explicit,
        }),
      ),
    says: /other-0/,
  },
  {
    fault: 'dead letters',
    check: 'dead-letters',
    level: 'warning',
    sql: [],
    plant: async (right) => {
      const connection = await connect({ servers: right.NATS_URL ?? '' })
      connection.publish(`${right.NATS_PREFIX}-dead.x`, '{}')
      await connection.drain()
    },
    says: /1 dead letters.*replay/,
  },
]
