import { sql } from 'kysely'
import type { Db } from '../../../database/db.ts'

export interface ServerFacts {
  readonly version: number
  readonly versionText: string
  readonly encoding: string
  readonly readOnly: boolean
  /** Milliseconds, by the clock of the database. */
  readonly nowMs: number
  readonly maxConnections: number
  readonly reserved: number
  readonly connections: number
  /** Of the role and of the database; negative: none. */
  readonly roleLimit: number
  readonly databaseLimit: number
  readonly autovacuum: boolean
  /** Null where the role may not ask. */
  readonly dataDirectory: string | null
  readonly bytes: number
}

export async function readServer(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version_num')::int as version,
           current_setting('server_version') as "versionText",
           current_setting('server_encoding') as encoding,
           pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly",
           (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs",
           current_setting('max_connections')::int as "maxConnections",
           current_setting('superuser_reserved_connections')::int as reserved,
           (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
             as connections,
           (select rolconnlimit from pg_roles where rolname = current_user) as "roleLimit",
           (select datconnlimit from pg_database where datname = current_database())
             as "databaseLimit",
           current_setting('autovacuum')::boolean as autovacuum,
           case when pg_has_role(current_user, 'pg_read_all_settings', 'member')
             then current_setting('data_directory') end as "dataDirectory",
           pg_database_size(current_database()) as bytes`.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('PostgreSQL did not say what it is.')
  return facts
}

export async function readDurability(db: Db) {
  const { rows } = await sql<{
    fsync: boolean
    synchronousCommit: string
    synchronousStandbys: boolean
    standbys: number
  }>`
    select current_setting('fsync')::boolean as fsync,
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('synchronous_standby_names') <> '' as "synchronousStandbys",
           (select count(*)::int from pg_stat_replication) as standbys`.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('PostgreSQL did not say what a commit waits for.')
  return facts
}

/** What the role may not do, and has to. */
export async function missingRights(db: Db): Promise<string[]> {
  const { rows } = await sql<{ missing: string }>`
    select 'create in schema ' || current_schema() as missing
    where not has_schema_privilege(current_schema(), 'create')
    union all
    select 'create in database ' || current_database()
    where not has_database_privilege(current_database(), 'create')
    union all
    select lower(kind) || ' on ' || c.relname
    from pg_class c cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as kind
    where c.relnamespace = current_schema()::text::regnamespace and c.relkind in ('r', 'p')
      and not has_table_privilege(c.oid, kind)
    union all
    select 'usage on ' || c.relname from pg_class c
    where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'S'
      and case when c.relkind = 'S' then not has_sequence_privilege(c.oid, 'USAGE') end`.execute(db)
  return rows.map(({ missing }) => missing)
}

export async function hasExtension(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = ${name}`.execute(db)
  return rows.length > 0
}

/** Indexes that PostgreSQL does not use, because their creation was broken off. */
export async function invalidIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::text::regnamespace`.execute(db)
  return rows.map(({ name }) => name)
}

/** Transactions that hold back vacuum, and perhaps locks: for how long, and whose. */
export async function longTransactions(db: Db, seconds: number) {
  const { rows } = await sql<{ pid: number; program: string; seconds: number }>`
    select pid, application_name as program,
           extract(epoch from clock_timestamp() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'
      and xact_start < clock_timestamp() - ${seconds} * interval '1 second'
    order by xact_start`.execute(db)
  return rows
}

/** How many connections of Chorale there are, by the address that they come from. */
export async function connectionsByAddress(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ address: string; connections: number }>`
    select coalesce(host(client_addr), 'local') as address, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and application_name = 'chorale'
    group by 1 order by 1`.execute(db)
  return Object.fromEntries(rows.map(({ address, connections }) => [address, connections]))
}

/** Numbers that a sequence gave out, behind those that are in use. */
export async function lateSequences(db: Db): Promise<{ name: string; used: number }[]> {
  const { rows } = await sql<{ name: string; used: number }>`
    select name, used from (
      select 'entry_numbers' as name, (select last_value from entry_numbers) as given,
             (select max(l.id) / 64 from apps a cross join lateral (
                select id from entries e where e.app_id = a.app_id order by id desc limit 1) l) as used
      union all
      select 'conversation_keys', (select last_value from conversation_keys),
             (select max(conversation_key) from conversations)
      union all
      select 'row_versions', (select last_value from row_versions),
             greatest((select max(row_version) from apps), (select max(row_version) from users),
                      (select max(row_version) from groups))) s
    where used > given`.execute(db)
  return rows
}

export async function advanceSequence(db: Db, name: string, used: number): Promise<void> {
  await sql`select setval(${name}::regclass, ${used}::bigint)`.execute(db)
}

/** Names of leases that some process holds, of these. */
export async function heldLeases(db: Db, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name
    where exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(name, 0))`.execute(db)
  return rows.map(({ name }) => name)
}
