import { CompiledQuery, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../testing/test-database.ts'
import { hot, run } from './hot.ts'
import { type Database, openDatabase } from './pool.ts'

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

const sum = hot<{ sum: number }>('test_sum', 'select $1::int + $2::int as sum')
const product = hot<{ product: number }>('test_product', 'select $1::int * $2::int as product')

const kept = sql<{ name: string; uses: number }>`
  select name, generic_plans + custom_plans as uses from pg_prepared_statements order by name`

test('a hot statement is prepared once per connection, and used from then on', async () => {
  const { db } = openWith(1)
  expect(await run(db, sum, [2, 3])).toEqual([{ sum: 5 }])
  expect((await kept.execute(db)).rows).toEqual([{ name: 'test_sum', uses: 1 }])
  for (let n = 0; n < 9; n++) expect(await run(db, sum, [n, 1])).toEqual([{ sum: n + 1 }])
  expect(await run(db, product, [2, 3])).toEqual([{ product: 6 }])
  expect((await kept.execute(db)).rows).toEqual([
    { name: 'test_product', uses: 1 },
    { name: 'test_sum', uses: 10 },
  ])
})

test('each connection prepares for itself', async () => {
  const { db } = openWith(2)
  await db.connection().execute(async (one) => {
    await run(one, sum, [1, 1])
    await db.connection().execute(async (two) => {
      expect((await kept.execute(two)).rows).toEqual([])
      await run(two, sum, [1, 1])
      expect((await kept.execute(two)).rows).toEqual([{ name: 'test_sum', uses: 1 }])
    })
    expect((await kept.execute(one)).rows).toEqual([{ name: 'test_sum', uses: 1 }])
  })
})

test('inside a transaction it is the same statement', async () => {
  const database = openWith(1)
  await run(database.db, sum, [1, 1])
  await database.transaction(async (db) => {
    await run(db, sum, [1, 1])
    expect((await kept.execute(db)).rows).toEqual([{ name: 'test_sum', uses: 2 }])
  })
})

test('any other statement is planned for its values and not kept', async () => {
  const { db } = openWith(1)
  await sql`select ${1}::int`.execute(db)
  await db.executeQuery(CompiledQuery.raw('select $1::int - $2::int', [3, 2]))
  expect((await kept.execute(db)).rows).toEqual([])
})
