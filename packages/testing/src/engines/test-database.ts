import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { withDatabase } from './database-url.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
}

/** A clone of the migrated template, dropped after. */
export async function cloneDatabase(): Promise<TestDatabase> {
  return createDatabase(`template ${inject('template')}`)
}

/** As an operator finds it before the first `chorale migrate`. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('')
}

async function createDatabase(options: string): Promise<TestDatabase> {
  const name = `chorale_test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} ${options}`)
  return {
    url: withDatabase(inject('databaseUrl'), name),
    [Symbol.asyncDispose]: () => administer(`drop database if exists ${name} with (force)`),
  }
}

async function administer(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}
