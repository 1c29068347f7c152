import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../../../../testing/src/seeded.ts'
import { type Change, changes } from '../../../../../testing/src/sends/remembered-changes.ts'
import {
  contradiction,
  type Install,
  openInstall,
} from '../../../../../testing/src/sends/remembered-facts.ts'

let install: Install
beforeAll(async () => {
  install = await openInstall()
})
afterAll(() => install[Symbol.asyncDispose]())

interface Trigger {
  readonly table: string
  readonly name: string
}

async function triggers(): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger
    where not tgisinternal order by 1, 2`.execute(install.db)
  return rows
}

async function noticed(of: readonly Change[]): Promise<string[]> {
  const found: string[] = []
  for (const change of of) {
    const wrong =
      (await contradiction(install, change, 0)) ?? (await contradiction(install, change, 1))
    if (wrong !== undefined) found.push(change.what)
  }
  return found
}

test('every trigger that is left out is noticed by a change', async () => {
  const unnoticed: string[] = []
  for (const { table, name } of await triggers()) {
    const on = sql`${sql.table(table)}`
    await sql`alter table ${on} disable trigger ${sql.ref(name)}`.execute(install.db)
    try {
      if ((await noticed(changes)).length === 0) unnoticed.push(`${table}: ${name}`)
    } finally {
      await sql`alter table ${on} enable trigger ${sql.ref(name)}`.execute(install.db)
    }
  }
  expect(unnoticed).toEqual([])
})

test('500 changes in random order, by random processes, contradict no send', async () => {
  const seed = String(Date.now())
  const random = seeded(seed)
  for (let n = 0; n < 500; n++) {
    const change = random.pick(changes)
    const wrong = await contradiction(install, change, random.chance(0.5) ? 0 : 1)
    expect(wrong, `seed ${seed}: ${change.what}`).toBeUndefined()
  }
})
