import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { bigints, bools, byteas, ints, smallints, texts } from './arrays.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())
const client = new pg.Client({ connectionString: database.url })
await client.connect()
stack.defer(() => client.end())

async function readBack(type: string, array: Buffer): Promise<unknown[]> {
  const { rows } = await client.query(`select array_to_json($1::${type}[]) as read`, [array])
  return rows[0].read
}

test('PostgreSQL reads what was written', async () => {
  const words = ['', 'plain', 'with "quotes", {braces} and \\', 'null', '日本語 🎶', null]
  expect(await readBack('text', texts(words))).toEqual(words)
  const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, -(2 ** 53) + 1, null]
  expect(await readBack('bigint', bigints(numbers))).toEqual(numbers)
  expect(await readBack('smallint', smallints([63, -5, null]))).toEqual([63, -5, null])
  expect(await readBack('int', ints([2 ** 31 - 1, null, -7]))).toEqual([2 ** 31 - 1, null, -7])
  expect(await readBack('bool', bools([true, false, null]))).toEqual([true, false, null])
  expect(await readBack('bytea', byteas([Buffer.of(0, 255), null]))).toEqual(['\\x00ff', null])
})

test('an empty array is an array', async () => {
  expect(await readBack('text', texts([]))).toEqual([])
  expect(await readBack('bigint', bigints([]))).toEqual([])
})
