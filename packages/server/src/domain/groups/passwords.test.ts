import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { addMembers, updateGroup, createUser } = app.as('full')
const wait = { timeout: 60_000, interval: 20 }

beforeAll(async () => {
  for (const uid of ['ann', 'bob', 'cid', 'eve']) await createUser({ body: { uid, name: uid } })
})

const join = (guid: string, onBehalfOf: string, password: string) =>
  addMembers({ params: { guid }, body: { password }, onBehalfOf })

async function safe(guid: string): Promise<string> {
  await app.given.group(guid, { type: 'password', password: 'sesame', owner: 'ann' })
  return guid
}

const inTransactions = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (state = 'idle in transaction' or wait_event_type = 'Lock')`.execute(app.db)
  return rows[0]?.n ?? 0
}

test('H4: many wrong passwords at once hold no connection, and all but five are refused unseen', async () => {
  const guid = await safe('storm')
  const { authToken } = await app.device('eve')
  const guess = (n: number) =>
    send(app.origin, {
      method: 'POST',
      path: `/v3/groups/${guid}/members`,
      headers: { appId: app.appId, authToken },
      body: JSON.stringify({ password: `guess ${n}` }),
    })
  let done = false
  const guesses = Promise.all(Array.from({ length: 60 }, (_, n) => guess(n))).finally(() => {
    done = true
  })
  const held: number[] = []
  while (!done) held.push(await inTransactions())
  const answers = await guesses
  const codes = answers.map((answer) => `${answer.status} ${errorOf(answer).code}`)
  expect(codes.filter((code) => code === '403 ERR_WRONG_GROUP_PASS')).toHaveLength(5)
  expect(codes.filter((code) => code === '429 ERR_TOO_MANY_REQUESTS')).toHaveLength(55)
  for (const { status, headers } of answers) {
    if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(Math.max(...held)).toBe(0)
})

describe('H4: after five wrong passwords', () => {
  let guid = ''
  beforeAll(async () => {
    guid = await safe('locked')
    for (let n = 0; n < 5; n++) {
      await expect(join(guid, 'bob', `guess ${n}`)).rejects.toMatchObject({
        code: 'ERR_WRONG_GROUP_PASS',
      })
    }
  })

  test('even the right one is refused, until their time is over', async () => {
    await expect(join(guid, 'bob', 'sesame')).rejects.toMatchObject({
      code: 'ERR_TOO_MANY_REQUESTS',
      status: 429,
    })
    now += 899
    await expect(join(guid, 'bob', 'sesame')).rejects.toMatchObject({ status: 429 })
    now += 1
    await join(guid, 'bob', 'sesame')
  })

  test('nobody else is kept out', async () => {
    await join(guid, 'cid', 'sesame')
  })
})

test('H4: a right password takes back the wrong ones before it', async () => {
  const guid = await safe('patient')
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 4; n++) await expect(join(guid, 'bob', 'wrong')).rejects.toThrow()
    await join(guid, 'bob', 'sesame')
    await app.as('full').leaveGroup({ params: { guid }, onBehalfOf: 'bob' })
  }
})

test('H4: a hundred wrong passwords of many users close the group to further ones', async () => {
  const guid = await safe('crowded')
  // Twenty users with five each would take seconds of hashing.
  await sql`
    insert into group_password_attempts (app_id, guid, uid, attempts, until)
    select ${app.appId}, ${guid}, 'guest-' || n, 5, ${now}::bigint + n from generate_series(101, 120) n
  `.execute(app.db)
  await expect(join(guid, 'cid', 'sesame')).rejects.toMatchObject({ status: 429 })
  now += 101
  await join(guid, 'cid', 'sesame')
})

test('a password that changes after it was checked lets nobody in', async () => {
  const guid = await safe('moving')
  const other = new pg.Client({ connectionString: app.databaseUrl })
  await other.connect()
  try {
    await other.query('begin')
    await other.query("select from users where uid = 'eve' for update")
    const joining = expect(join(guid, 'eve', 'sesame')).rejects.toMatchObject({
      code: 'ERR_WRONG_GROUP_PASS',
    })
    await expect.poll(inTransactions, wait).toBe(2)
    await updateGroup({ params: { guid }, body: { password: 'lentils' } })
    await other.query('commit')
    await joining
  } finally {
    await other.end()
  }
  await join(guid, 'eve', 'lentils')
})
