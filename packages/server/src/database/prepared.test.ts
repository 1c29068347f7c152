import { CompiledQuery, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { type Database, openDatabase } from './pool.ts'
import { prepared, run } from './prepared.ts'

const database = await cloneDatabase()
const opened: Database[] = []
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

function openWith(poolSize: number): Database {
  const one = openDatabase({
    url: database.url,
    poolSize,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  opened.push(one)
  return one
}

const sum = prepared<{ sum: number }>('test_sum', 'select $1::int + $2::int as sum')
const product = prepared<{ product: number }>('test_product', 'select $1::int * $2::int as product')
const addNumber = prepared<never>('test_add_number', 'insert into kept_numbers values ($1::int)')

interface Kept {
  readonly name: string
  readonly generic: number
  readonly custom: number
}

const keptText = `
  select name, generic_plans as generic, custom_plans as custom
  from pg_prepared_statements where name like 'test\\_%' order by name`
const kept = sql.raw<Kept>(`${keptText} limit 100`)
/** The same, asked where prepared statements run. */
const keptHot = prepared<Kept>('kept', keptText)

test('a prepared statement is parsed once per connection, and planned once for all values', async () => {
  const { db } = openWith(1)
  expect(await run(db, sum, [2, 3])).toEqual([{ sum: 5 }])
  for (let n = 0; n < 9; n++) expect(await run(db, sum, [n, 1])).toEqual([{ sum: n + 1 }])
  expect(await run(db, product, [2, 3])).toEqual([{ product: 6 }])
  expect(await run(db, keptHot, [])).toEqual([
    { name: 'test_product', generic: 1, custom: 0 },
    { name: 'test_sum', generic: 10, custom: 0 },
  ])
})

test('a statement that is refused does not cost the connection what it has planned', async () => {
  const { db } = openWith(1)
  await run(db, sum, [1, 1])
  await expect(run(db, product, [2 ** 30, 2 ** 30])).rejects.toThrow('out of range')
  expect((await run(db, keptHot, [])).map(({ name }) => name)).toContain('test_sum')
})

test('a connection of its own keeps it from other statements', async () => {
  const { db } = openWith(1)
  await run(db, sum, [1, 1])
  expect((await kept.execute(db)).rows).toEqual([])
})

test('each connection prepares for itself', async () => {
  const { db } = openWith(2)
  await db.connection().execute(async (one) => {
    await run(one, sum, [1, 1])
    await db.connection().execute(async (two) => {
      expect(await run(two, keptHot, [])).toEqual([])
      await run(two, sum, [1, 1])
      expect(await run(two, keptHot, [])).toHaveLength(1)
    })
    expect(await run(one, keptHot, [])).toHaveLength(1)
  })
})

test('inside a transaction it runs where the transaction does', async () => {
  const database = openWith(1)
  await database.transaction(async (db) => {
    await run(db, sum, [1, 1])
    await run(db, sum, [1, 1])
    const [row] = (await kept.execute(db)).rows
    expect(row?.name).toBe('test_sum')
    expect((row?.generic ?? 0) + (row?.custom ?? 0)).toBe(2)
  })
})

test('a transaction of prepared statements alone keeps their plans, and rolls back what fails', async () => {
  const database = openWith(1)
  await sql`create table kept_numbers (n int)`.execute(database.db)
  await database.preparedTransaction((db) => run(db, addNumber, [1]))
  await expect(
    database.preparedTransaction(async (db) => {
      await run(db, addNumber, [2])
      await run(db, product, [2 ** 30, 2 ** 30])
    }),
  ).rejects.toThrow('out of range')
  const { rows } = await sql`select n from kept_numbers`.execute(database.db)
  expect(rows).toEqual([{ n: 1 }])
  expect(await run(database.db, keptHot, [])).toEqual([
    { name: 'test_add_number', generic: 2, custom: 0 },
    { name: 'test_product', generic: 1, custom: 0 },
  ])
})

test('any other statement is planned for its values and not kept', async () => {
  const { db } = openWith(1)
  await sql`select ${1}::int`.execute(db)
  await db.executeQuery(CompiledQuery.raw('select $1::int - $2::int', [3, 2]))
  expect((await kept.execute(db)).rows).toEqual([])
})

test('a plan that is made while a table is small reads by an index', async () => {
  const { db } = openWith(1)
  await sql`create table small_numbers (n int primary key)`.execute(db)
  await sql`insert into small_numbers select generate_series(1, 10)`.execute(db)
  await sql`analyze small_numbers`.execute(db)
  const plan = prepared<{ 'QUERY PLAN': string }>(
    'test_small_plan',
    'explain (costs off) select n from small_numbers where n = $1::int',
  )
  const lines = await run(db, plan, [7])
  expect(lines[0]?.['QUERY PLAN']).toMatch(/^Index/)
})
