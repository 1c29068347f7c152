import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openTemplate, type TemplateDatabase } from './template-database.ts'

const databaseUrl = inject('databaseUrl')

let prefix = ''
let migrated: string[] = []
let admin: pg.Client

beforeEach(async () => {
  prefix = `chorale_template_test_${randomBytes(4).toString('hex')}`
  migrated = []
  admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
})

afterEach(async () => {
  for (const name of await templates()) {
    await admin.query(`alter database ${name} is_template false`)
    await admin.query(`drop database ${name} with (force)`)
  }
  await admin.end()
})

function open(digest: string, migrate = async (_url: string) => {}): Promise<TemplateDatabase> {
  return openTemplate({
    databaseUrl,
    prefix,
    digest,
    migrate: async (url) => {
      migrated.push(digest)
      await migrate(url)
    },
  })
}

async function openAndClose(digest: string): Promise<void> {
  await using _template = await open(digest)
}

/** Oldest first. */
async function templates(): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1) order by oid',
    [prefix],
  )
  return rows.map(({ datname }) => datname)
}

test('a second run with the same schema does not migrate again', async () => {
  await openAndClose('a1')
  await openAndClose('a1')
  expect(migrated).toEqual(['a1'])
  expect(await templates()).toEqual([`${prefix}_a1`])
})

test('of runs that start at once, one migrates', async () => {
  await Promise.all([openAndClose('a1'), openAndClose('a1'), openAndClose('a1')])
  expect(migrated).toEqual(['a1'])
})

test('a template that was left half-way is made anew', async () => {
  // Fails where the table is already.
  const createTable = async (url: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create table users (id int)')
    await client.end()
  }
  const failing = async (url: string) => {
    await createTable(url)
    throw new Error('killed')
  }
  await expect(open('a1', failing)).rejects.toThrow('killed')
  await using _template = await open('a1', createTable)
  expect(migrated).toEqual(['a1', 'a1'])
})

test('old templates are dropped, but for the last few and those in use', async () => {
  await using _inUse = await open('a0')
  for (const digest of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9']) {
    await openAndClose(digest)
  }
  expect(await templates()).toEqual(
    ['a0', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9'].map((digest) => `${prefix}_${digest}`),
  )
})
