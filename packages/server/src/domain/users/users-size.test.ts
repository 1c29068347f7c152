import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { crowd, loadUsers, settleTables } from '../../../../testing/src/data/many-users.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import type { AppDb } from '../../database/app-db.ts'
import { countUsers, listUsers, type UserFilter } from './users.sql.ts'

// The short form of `npm run bench -- users`: not how long statements take, but how they go about it.

const app = await startTestApp({ shadow: false })
const neighbour = await app.anotherApp()
const pool = new pg.Pool({ connectionString: app.databaseUrl, max: 1 })
// A pool has ended before its connections have: the last one may still hear of the drop.
pool.on('connect', (client) => client.on('error', () => undefined))
pool.on('error', () => undefined)
const statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
const recording: AppDb = {
  appId: app.appId,
  db: new Kysely({
    dialect: new PostgresDialect({ pool }),
    log({ query }) {
      statements.push(query)
    },
  }),
}

const perPage = 100
const middle = 20_000

beforeAll(async () => {
  const query = (text: string, values?: readonly unknown[]) =>
    pool.query(text, values && [...values])
  await loadUsers(query, app.appId, 50_000)
  await loadUsers(query, neighbour.appId, 10_000)
  await settleTables(query)
})
afterAll(async () => {
  await recording.db.destroy()
  await app[Symbol.asyncDispose]()
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Runs the work, then every statement of it again under `explain analyze`: all nodes. */
async function plansOf(work: () => Promise<unknown>): Promise<Plan[]> {
  statements.length = 0
  await work()
  const nodes: Plan[] = []
  for (const { sql, parameters } of [...statements]) {
    const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
    nodes.push(...nodesOf(rows[0]['QUERY PLAN'][0].Plan))
  }
  return nodes
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

function wholeTables(nodes: readonly Plan[]): (string | undefined)[] {
  return nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'])
}

/** Most rows that a node read or sorted. */
function maxRows(nodes: readonly Plan[]): number {
  return Math.max(
    ...nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
  )
}

const everybody: UserFilter = {
  search: undefined,
  status: undefined,
  roles: undefined,
  uids: undefined,
  tags: undefined,
  active: [true],
  friendsOf: undefined,
  viewer: undefined,
}
const firstPage = { page: 1, perPage, after: undefined }

async function keyInTheMiddle() {
  const { rows } = await pool.query(
    `select sort_name, uid from users where app_id = $1 and deactivated_at is null
     order by sort_name, uid limit 1 offset ${middle}`,
    [app.appId],
  )
  return [rows[0].sort_name, rows[0].uid]
}

describe('a page is read from an index in its order, and nothing else is read', () => {
  test.for<[string, Partial<UserFilter>]>([
    ['of everybody', {}],
    ['of everybody, as a user sees them', { viewer: 'somebody' }],
    ['of deactivated users', { active: [false] }],
    ['of all, deactivated or not', { active: [true, false] }],
    ['of a common role', { roles: [crowd.roles.common] }],
    ['of two roles', { roles: [crowd.roles.some, crowd.roles.common] }],
    ['of a name', { search: { text: 'anna', inName: true, inUid: false } }],
  ])('%s', async ([, filter]) => {
    const wanted = { ...everybody, ...filter }
    const branches = wanted.active.length * (wanted.roles?.length ?? 1)
    const after = await keyInTheMiddle()
    for (const page of [firstPage, { ...firstPage, after }]) {
      const nodes = await plansOf(() => listUsers(recording, wanted, page))
      expect(wholeTables(nodes)).toEqual([])
      // The index of roles also holds the deactivated: one in twenty is stepped over.
      expect(maxRows(nodes)).toBeLessThanOrEqual(perPage * branches * 1.2)
      expect(nodes.filter((node) => node['Node Type'] === 'Sort')).toEqual([])
    }
  })
})

test('a page by number steps over the index entries before it, not over rows', async () => {
  const page = { ...firstPage, page: middle / perPage }
  const nodes = await plansOf(() => listUsers(recording, everybody, page))
  const readers = nodes.filter((node) => node['Relation Name'] !== undefined)
  expect(wholeTables(nodes)).toEqual([])
  expect(readers.map((node) => node['Node Type']).sort()).toEqual([
    'Index Only Scan',
    'Index Scan',
    'Index Scan',
  ])
})

describe('no filter reads a whole table, neither for the page nor for the total', () => {
  const search = (text: string) => ({ search: { text, inName: true, inUid: true } })
  test.for<[string, Partial<UserFilter>]>([
    ['nothing', {}],
    ['a common role', { roles: [crowd.roles.common] }],
    ['a rare role', { roles: [crowd.roles.rare] }],
    ['every role', { roles: Object.values(crowd.roles) }],
    ['a common tag', { tags: [crowd.tags.common] }],
    ['a rare tag', { tags: [crowd.tags.rare] }],
    ['a common name', search('a')],
    ['a rare name', search('zoe z. zimmer')],
    ['a common uid', search(crowd.uidPrefix)],
    ['a rare uid', search(`${crowd.uidPrefix}abcd`)],
    ['online', { status: 'available' }],
    ['offline', { status: 'offline' }],
    ['friends', { friendsOf: 'somebody' }],
  ])('%s', async ([, filter]) => {
    const wanted = { ...everybody, ...filter }
    const nodes = await plansOf(async () => {
      await listUsers(recording, wanted, firstPage)
      await countUsers(recording, wanted, false)
    })
    expect(wholeTables(nodes)).toEqual([])
  })
})
