import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { test as plainTest } from 'vitest'
import { createEmptyDatabase } from '../../../testing/src/engines/test-database.ts'
import { migrate, requireMigrations, requireSchema } from './migrator.ts'
import { openDatabase } from './pool.ts'

/** An empty database, and a release whose files the test writes. */
const test = plainTest.extend<{ release: Release }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are wanted from it
  release: async ({}, use) => {
    await using stack = new AsyncDisposableStack()
    const root = await mkdtemp(join(tmpdir(), 'chorale-migrator-'))
    stack.defer(() => rm(root, { recursive: true }))
    const { url } = stack.use(await createEmptyDatabase())
    const { db } = stack.use(
      openDatabase({
        url,
        poolSize: 2,
        preparedPoolSize: 1,
        statementTimeoutMs: 60_000,
        graceMs: 60_000,
        onIdleError: () => undefined,
      }),
    )
    const folders = { migrations: join(root, 'migrations'), functions: join(root, 'functions') }
    for (const folder of Object.values(folders)) await mkdir(folder)
    await use({
      async write(path, text) {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await writeFile(join(root, path), text)
      },
      remove: (path) => rm(join(root, path)),
      migrate: () => migrate(url, folders),
      requireSchema: (later = 'refuse') => requireSchema(db, { later }, folders),
      requireMigrations: () => requireMigrations(db, folders),
      valueOf: async (expression) => {
        const { rows } = await sql<{ value: unknown }>`select ${expression} as value`.execute(db)
        return rows[0]?.value
      },
    })
  },
})

interface Release {
  write(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
  migrate(): Promise<string[]>
  requireSchema(later?: 'refuse' | 'allow'): Promise<void>
  requireMigrations(): Promise<void>
  valueOf(expression: RawBuilder<unknown>): Promise<unknown>
}

const answering = (n: number) =>
  `create or replace function answer() returns int language sql as $$ select ${n} $$;`

test('a function keeps its parameters and its result', async ({ release, expect }) => {
  const file = 'functions/a/answer.sql'
  await release.write(file, answering(1))
  await release.migrate()
  const begin = 'create or replace function'
  await release.write(file, `${begin} answer() returns text language sql as $$ select 'two' $$;`)
  await expect(release.migrate()).rejects.toThrow('cannot change return type of existing function')
  const more = `${begin} answer(n int default 2) returns int language sql as $$ select n $$;`
  await release.write(file, more)
  await expect(release.migrate()).rejects.toThrow('The function answer has other parameters')
  expect(await release.valueOf(sql`answer()`)).toBe(1)
})

test('migrations are applied once, in the order of their names, then functions', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await release.write('migrations/0002-b.sql', 'insert into a values (1);')
  await release.write('functions/some/answer.sql', answering(42))
  await expect(release.requireSchema()).rejects.toThrow(/0001-a, 0002-b, answer.*chorale migrate/)
  expect(await release.migrate()).toEqual(['0001-a', '0002-b', 'answer'])
  expect(await release.migrate()).toEqual([])
  expect(await release.valueOf(sql`(select count(*) from a)`)).toBe(1)
  expect(await release.valueOf(sql`answer()`)).toBe(42)
  await release.requireSchema()
})

test('of two processes that migrate at once, one does it and the other waits', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int); select pg_sleep(0.2);')
  await release.write('functions/some/answer.sql', answering(42))
  const ran = await Promise.all([release.migrate(), release.migrate(), release.migrate()])
  expect(ran.sort((a, b) => a.length - b.length)).toEqual([[], [], ['0001-a', 'answer']])
})

const madeConcurrently = `-- outside a transaction
drop index concurrently if exists a_n;
create unique index concurrently if not exists a_n on a (n);
`
const isValid = sql`(select indisvalid from pg_index where indexrelid = 'a_n'::regclass)`

test('an index is made concurrently while other processes wait to migrate', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await release.write('migrations/0002-a-n.sql', madeConcurrently)
  const ran = await Promise.all([release.migrate(), release.migrate(), release.migrate()])
  expect(ran.sort((a, b) => a.length - b.length)).toEqual([[], [], ['0001-a', '0002-a-n']])
  expect(await release.valueOf(isValid)).toBe(true)
})

test('an index that could not be made concurrently is made when it is tried again', async ({
  release,
  expect,
}) => {
  const table = 'create table a (n int); insert into a values (1), (1);'
  await release.write('migrations/0001-a.sql', table)
  await release.write('migrations/0002-a-n.sql', madeConcurrently)
  await expect(release.migrate()).rejects.toThrow('0002-a-n could not be applied')
  expect(await release.valueOf(isValid)).toBe(false)
  await release.write('migrations/0001-b.sql', 'delete from a;')
  expect(await release.migrate()).toEqual(['0001-b', '0002-a-n'])
  expect(await release.valueOf(isValid)).toBe(true)
})

test('a migration that was changed after it was applied is refused, by migrate and at start', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await release.migrate()
  await release.write('migrations/0001-a.sql', 'create table a (n bigint);')
  await release.write('migrations/0002-b.sql', 'create table b ();')
  const refusal = /differ from what was applied.*0001-a.*new migration/s
  await expect(release.migrate()).rejects.toThrow(refusal)
  await expect(release.requireSchema()).rejects.toThrow(refusal)
  expect(await release.valueOf(sql`to_regclass('b')`)).toBeNull()
})

test('a schema of a later release is refused, but a process that runs stays ready', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await release.write('migrations/0002-b.sql', 'create table b ();')
  await release.migrate()
  await release.remove('migrations/0002-b.sql')
  const refusal = /later release.*0002-b.*start that release or a later one/s
  await expect(release.migrate()).rejects.toThrow(refusal)
  await expect(release.requireSchema()).rejects.toThrow(refusal)
  await release.requireMigrations()
})

test('a schema of a later release is accepted where an operator allows it', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await release.write('migrations/0002-b.sql', 'create table b ();')
  await release.write('functions/some/answer.sql', answering(43))
  await release.migrate()
  await release.remove('migrations/0002-b.sql')
  await release.write('functions/some/answer.sql', answering(42))
  await release.requireSchema('allow')
  await release.write('functions/some/other.sql', answering(0).replace('answer', 'other'))
  await expect(release.requireSchema('allow')).rejects.toThrow(/\(other\).*chorale migrate/)
})

test('readiness asks for the migrations of this release', async ({ release, expect }) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  await expect(release.requireMigrations()).rejects.toThrow(/0001-a.*chorale migrate/)
  await release.migrate()
  await release.requireMigrations()
})

test('a function is applied again when its text has changed, and no other', async ({
  release,
  expect,
}) => {
  await release.write('functions/some/answer.sql', answering(42))
  await release.write('functions/some/other.sql', answering(0).replace('answer', 'other'))
  await release.migrate()
  await release.write('functions/some/answer.sql', answering(43))
  await expect(release.requireSchema()).rejects.toThrow(/answer.*chorale migrate/)
  expect(await release.migrate()).toEqual(['answer'])
  expect(await release.valueOf(sql`answer()`)).toBe(43)
})

test('functions change all together or not at all', async ({ release, expect }) => {
  await release.write('functions/some/answer.sql', answering(42))
  await release.migrate()
  await release.write('functions/some/answer.sql', answering(43))
  await release.write('functions/some/broken.sql', 'create or replace function broken() nonsense;')
  await expect(release.migrate()).rejects.toThrow('broken could not be applied')
  expect(await release.valueOf(sql`answer()`)).toBe(42)
  await release.remove('functions/some/broken.sql')
  expect(await release.migrate()).toEqual(['answer'])
})

test('a migration that fails leaves nothing behind, and is tried again', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create table a (n int); select 1 / 0;')
  await expect(release.migrate()).rejects.toThrow('0001-a could not be applied: division by zero')
  expect(await release.valueOf(sql`to_regclass('a')`)).toBeNull()
  await release.write('migrations/0001-a.sql', 'create table a (n int);')
  expect(await release.migrate()).toEqual(['0001-a'])
})

/** A sequence counts on when its transaction is rolled back. */
const deadlockUntil = (attempt: number) => `do $$ begin
  if nextval('attempts') < ${attempt} then raise exception 'met' using errcode = '40P01'; end if;
end $$;`

test('a migration that ends in a deadlock is tried again, five times in all', async ({
  release,
  expect,
}) => {
  await release.write('migrations/0001-a.sql', 'create sequence attempts; create table a (n int);')
  await release.write('migrations/0002-a.sql', `insert into a values (1); ${deadlockUntil(5)}`)
  expect(await release.migrate()).toEqual(['0001-a', '0002-a'])
  expect(await release.valueOf(sql`(select count(*) from a)`)).toBe(1)
  await release.write('migrations/0003-a.sql', deadlockUntil(100))
  await expect(release.migrate()).rejects.toThrow('0003-a could not be applied: met')
  expect(await release.valueOf(sql`(select last_value from attempts)`)).toBe(10)
})
