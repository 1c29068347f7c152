import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../../server/src/database/migrator.ts'
import type { Query } from '../data/many-users.ts'
import { withDatabase } from './database-url.ts'

/** A migrated, empty database with a connection of its own; dropped after. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string
  readonly query: Query
}

export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const name = `chorale_scratch_${randomBytes(6).toString('hex')}`
  const url = withDatabase(serverUrl, name)
  await using stack = new AsyncDisposableStack()
  const admin = await connect(serverUrl, stack)
  await admin.query(`create database ${name}`)
  stack.defer(async () => {
    await admin.query(`drop database if exists ${name} with (force)`)
  })
  await migrate(url)
  const client = await connect(url, stack)
  const owned = stack.move()
  return {
    url,
    query: async (text, values) => (await client.query(text, values && [...values])).rows,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function connect(url: string, stack: AsyncDisposableStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  stack.defer(() => client.end())
  return client
}
