import { type RawBuilder, sql } from 'kysely'
import { databaseMs } from '../database/app-db.ts'
import type { Db } from '../database/db.ts'
import { prepared, run } from '../database/prepared.ts'

/** What every job has: whose it is, until when it is claimed, and how often it was. */
export interface Job {
  readonly appId: string
  /** In milliseconds of the database. Whoever holds an earlier one has lost the lease. */
  readonly leasedUntil: number
  /** Claims so far, this one included. */
  readonly attempt: number
  /** A `traceparent`, where what caused it is traced; of queues that keep it. */
  readonly trace?: string | null
}

/**
 * A table of jobs. It has the columns `app_id`, `due_at` (in milliseconds), `leased_until` (null while nobody
 * has claimed it) and `attempt`, and the indexes that docs/jobs.md names. SQL in these fields calls the row `j`.
 */
export interface QueueDefinition<J extends Job> {
  /** Of metrics, log lines and wake-up signals. */
  readonly name: string
  readonly table: string
  /** Columns of the primary key, each with the property of a job that holds it. */
  readonly key: Readonly<Record<string, keyof J & string>>
  /** Which rows are jobs. */
  readonly open: string
  /** The columns of a claimed job beside `appId`, `leasedUntil` and `attempt`; `m.now` is the time of the claim. */
  readonly columns: string
  /** Joins for these columns. */
  readonly joins?: string
  /** What a claim sets as well. */
  readonly set?: string
  /** Jobs of the same group share a limit: columns of the key, `app_id` first. By itself a group is an app. */
  readonly group?: readonly string[]
  /** Which groups may be claimed: a lateral join on the group `g`. */
  readonly ready?: string
  /** Where a row stands for several that wait: which those are, as `table where condition`. */
  readonly behind?: string
}

export interface ClaimLimits {
  readonly most: number
  /** The base of the lease: it doubles for each claim of a job whose lease ran out before. */
  readonly leaseMs: number
  /** Of an app and of a group, how many may be claimed at once in the whole install. */
  readonly perApp?: number | undefined
  readonly perGroup?: number | undefined
}

export interface Queue<J extends Job> {
  readonly name: string
  /** A query with one row, of `Backlog`. */
  readonly backlogText: string
  /** In turns: the first due job of every app, then the second of every app, and so on. */
  claim(db: Db, limits: ClaimLimits): Promise<J[]>
  /** Until the next job is due; negative: since when one is. Undefined: there are no jobs. */
  nextDueMs(db: Db): Promise<number | undefined>
  /** A condition: the row is this job, and its lease is not lost. Nothing is recorded without it. */
  held(job: J): RawBuilder<unknown>
  /** Ends the lease, and the job is due again. */
  release(db: Db, job: J, afterMs: number): Promise<void>
}

const unlimited = 1_000_000
const maxCounted = 10_000
/** Who has claimed it before has not come back: it may be the job that ends them. */
const leaseEnd =
  'm.now + $2::bigint * case when j.leased_until is null then 1 else 1 << least(j.attempt, 5)::int end'
const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** For `set`: the lease is over, and the job is due after so long. */
export function dueAgain(afterMs: number): RawBuilder<unknown> {
  return sql`leased_until = null, due_at = ${databaseMs} + ${Math.ceil(afterMs)}::bigint`
}

export function defineQueue<J extends Job>(definition: QueueDefinition<J>): Queue<J> {
  const { name, table, key, open } = definition
  const columns = Object.entries(key)
  for (const id of [table, ...Object.keys(key), ...groupOf(definition)]) requireIdentifier(id)
  const claim = prepared<J>(`claim ${name}`, claimText(definition))
  const next = prepared<{ inMs: number }>(
    `next of ${name}`,
    `select j.due_at - ${nowMs} as "inMs" from ${table} j where ${open} order by j.due_at limit 1`,
  )
  const held = (job: J) =>
    sql.join(
      [
        ...columns.map(([column, property]) => sql`${sql.ref(column)} = ${job[property]}`),
        sql`leased_until = ${job.leasedUntil}`,
      ],
      sql` and `,
    )
  return {
    name,
    backlogText: backlogText(definition),
    claim: (db, { most, leaseMs, perApp = unlimited, perGroup = unlimited }) =>
      run(db, claim, [most, leaseMs, perApp, perGroup]),
    async nextDueMs(db) {
      return (await run(db, next, []))[0]?.inMs
    },
    held,
    async release(db, job, afterMs) {
      await sql`
        update ${sql.table(table)} set ${dueAgain(afterMs)} where ${held(job)}`.execute(db)
    },
  }
}

/** Counted along the index by which the next job is found, and no further than a bound. */
function backlogText<J extends Job>({ name, table, open, behind }: QueueDefinition<J>): string {
  const count = behind ? `select count(*) from (select from ${behind} limit ${maxCounted}) b` : '0'
  return `
    select '${name}' as queue, count(*) filter (where b.due_at <= ${nowMs})::int as due,
      count(*) filter (where b.due_at > ${nowMs})::int as later, (${count})::int as behind,
      greatest(0, ${nowMs} - coalesce(min(b.due_at), ${nowMs}))::bigint as "lateMs",
      coalesce(max(b.attempt), 0)::int as attempts
    from (select j.due_at, j.attempt from ${table} j where ${open} order by j.due_at limit ${maxCounted}) b`
}

function requireIdentifier(name: string): void {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`${name} is no name of a table or column.`)
}

function groupOf({ group = ['app_id'] }: Pick<QueueDefinition<never>, 'group'>) {
  return group
}

/**
 * One statement, whose cost does not grow with what waits: `groups` hops along an index from group to group, and of
 * each no more rows are read than it may have (as a range of that index: the planner would take the one by time). Claims of a queue take turns, or two workers would count the same free
 * places: who comes second claims nothing, and asks again.
 */
function claimText<J extends Job>(definition: QueueDefinition<J>): string {
  const { name, table, key, open, columns, joins = '', ready = '' } = definition
  const set = definition.set ? `, ${definition.set}` : ''
  const group = groupOf(definition)
  const listed = (names: readonly string[], of: string) =>
    names.map((column) => `${of}.${column}`).join(', ')
  const same = (names: readonly string[], of: string) =>
    names.map((column) => `j.${column} = ${of}.${column}`).join(' and ')
  const keys = Object.keys(key)
  return `
    with recursive moment as materialized (select ${nowMs} as now),
    turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended('claim ${name}', 0)) as mine
    ), groups as (
      (select ${listed(group, 'j')} from ${table} j where ${open} and (select mine from turn)
       order by ${listed(group, 'j')} limit 1)
      union all
      select ${listed(group, 'n')} from groups g cross join lateral (
        select ${listed(group, 'j')} from ${table} j
        where ${open} and (${listed(group, 'j')}) > (${listed(group, 'g')})
        order by ${listed(group, 'j')} limit 1) n
    ), leased as (
      select ${listed(group, 'g')}, l.n, sum(l.n) over (partition by g.app_id) as of_app
      from groups g cross join lateral (
        select count(*) as n from ${table} j
        where ${same(group, 'g')} and j.leased_until > (select now from moment)) l
    ), due as (
      select d.*, g.of_app + row_number() over (partition by g.app_id order by d.due_at) as nth
      from leased g ${ready} cross join lateral (
        select ${listed(keys, 'j')}, j.due_at from ${table} j
        where ${open} and (${listed(group, 'j')}, j.due_at) >= (${listed(group, 'g')}, 0)
          and (${listed(group, 'j')}, j.due_at) <= (${listed(group, 'g')}, (select now from moment))
        order by ${listed(group, 'j')}, j.due_at
        limit greatest(0, least($1::bigint, $4::bigint - g.n))) d
    ), chosen as (
      select * from due where nth <= $3::bigint order by nth, due_at limit $1
    ), free as (
      select l.ctid from chosen c cross join lateral (
        select j.ctid from ${table} j
        where ${open} and ${same(keys, 'c')} and j.due_at = c.due_at
        limit 1 for update skip locked) l
    ), claimed as (
      update ${table} j
      set leased_until = ${leaseEnd}, due_at = ${leaseEnd}, attempt = j.attempt + 1${set}
      from moment m where j.ctid = any(array(select ctid from free))
      returning j.*
    )
    select j.app_id as "appId", j.leased_until as "leasedUntil", j.attempt, ${columns}
    from claimed j cross join moment m ${joins}`
}
