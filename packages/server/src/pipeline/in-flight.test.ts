import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

vi.setConfig({ testTimeout: 120_000 })
const fixture = await startRealtimeFixture({ DATABASE_STATEMENT_TIMEOUT_MS: '60000' })
const { app } = fixture
const locking = new pg.Client({ connectionString: app.databaseUrl })
// Of its own: a transaction sees the activity of the moment in which it first looked.
const watching = new pg.Client({ connectionString: app.databaseUrl })
await Promise.all([locking.connect(), watching.connect()])
afterAll(async () => {
  await Promise.all([locking.end(), watching.end()])
  await fixture[Symbol.asyncDispose]()
})
const wait = { timeout: 60_000, interval: 50 }

async function heldByLocks(): Promise<number> {
  const { rows } = await watching.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.n ?? 0
}

async function whileLocked(statement: string, work: () => Promise<void>): Promise<void> {
  await locking.query('begin')
  await locking.query(statement)
  try {
    await work()
  } finally {
    await locking.query('commit')
  }
}

async function neighbourWorks(): Promise<void> {
  const neighbour = app.client(await app.anotherApp(), 'full')
  for (const uid of ['una', 'uwe', 'ulf']) await neighbour.createUser({ body: { uid, name: 'U' } })
  expect((await neighbour.listUsers({})).data).toHaveLength(3)
}

/** No app has called within the last second: the next that calls has all connections but two. */
const untilQuiet = () => sleep(1100)

test('H4: a device that fires many calls holds few connections, over REST and sockets', async () => {
  await app.given.user('eve')
  const socket = await fixture.device('eve')
  const { authToken } = await app.device('eve')
  const answers: ReturnType<typeof send>[] = []
  await whileLocked('lock table friends in access exclusive mode', async () => {
    const headers = { appId: app.appId, authToken }
    for (let n = 0; n < 50; n++) {
      const request = { path: '/v3/users/eve/friends', headers }
      answers.push(send(app.origin, { ...request, deadlineMs: 100_000 }))
    }
    await expect.poll(heldByLocks, wait).toBe(4)
    // Its other wire is no way around: it is refused at once, or when it has waited too long.
    socket.send({
      type: 'call',
      id: 'a',
      operation: 'listFriends',
      input: { params: { uid: 'eve' } },
    })
    await expect.poll(() => socket.of('refusal').length, wait).toBe(1)
    const { error } = await socket.next('refusal')
    expect(error).toMatchObject({ code: 'ERR_TOO_MANY_REQUESTS' })
    await neighbourWorks()
    expect(await heldByLocks()).toBe(4)
  })
  const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200)
  for (const answer of refused) {
    expect(errorOf(answer).code).toBe('ERR_TOO_MANY_REQUESTS')
    expect(answer.headers['retry-after']).toBe('1')
  }
})

test('H4: a device that has kept connections busy has one call at once while another app calls', async () => {
  await app.given.user('kim')
  const neighbour = app.client(await app.anotherApp(), 'full')
  const { authToken } = await app.device('kim')
  await untilQuiet()
  const headers = { appId: app.appId, authToken }
  const request = { path: '/v3/users/kim/friends', headers, deadlineMs: 100_000 }
  const fourCalls = () => Array.from({ length: 4 }, () => send(app.origin, request))
  const statement = 'lock table friends in access exclusive mode'

  let calls: ReturnType<typeof send>[] = []
  await whileLocked(statement, async () => {
    calls = fourCalls()
    await expect.poll(heldByLocks, wait).toBe(4)
    // Four connections for a second are more than the three seconds that a user may use at once.
    await sleep(1000)
  })
  await Promise.all(calls)
  await whileLocked(statement, async () => {
    await neighbour.listUsers({})
    calls = fourCalls()
    let refused = 0
    for (const call of calls) void call.then(({ status }) => (refused += Number(status === 429)))
    await expect.poll(async () => (await heldByLocks()) > 0 || refused === 4, wait).toBe(true)
    await sleep(300)
    expect(await heldByLocks()).toBeLessThanOrEqual(1)
  })
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect([200, 429]).toEqual(expect.arrayContaining(statuses))
})

test('H4: reads and writes of one app leave connections to its neighbours', async () => {
  await app.given.user('may')
  await untilQuiet()
  const calls: Promise<unknown>[] = []
  await whileLocked('lock table friends in access exclusive mode', async () => {
    for (let n = 0; n < 20; n++) {
      calls.push(fixture.full.listFriends({ params: { uid: 'may' } }))
      calls.push(fixture.full.addFriends({ params: { uid: 'may' }, body: { accepted: ['eve'] } }))
    }
    // Of ten, all but two, since the app was alone.
    await expect.poll(heldByLocks, wait).toBe(8)
    await neighbourWorks()
    expect(await heldByLocks()).toBe(8)
  })
  expect(await Promise.all(calls)).toHaveLength(40)
})

test('H4: an app that has kept connections busy has a fifth of them while another app calls', async () => {
  const busy = app.client(await app.anotherApp(), 'full')
  await busy.createUser({ body: { uid: 'ida', name: 'Ida' } })
  await untilQuiet()
  const statement = 'lock table friends in access exclusive mode'
  const twelveCalls = () =>
    Array.from({ length: 12 }, () => busy.listFriends({ params: { uid: 'ida' } }))

  let calls: Promise<unknown>[] = []
  await whileLocked(statement, async () => {
    calls = twelveCalls()
    await expect.poll(heldByLocks, wait).toBe(8)
    // Eight connections for two and a half seconds are twice what an app may use at once.
    await sleep(2500)
  })
  await Promise.all(calls)
  await fixture.full.listUsers({})
  await whileLocked(statement, async () => {
    calls = twelveCalls()
    await expect.poll(heldByLocks, wait).toBe(2)
    await sleep(300)
    expect(await heldByLocks()).toBe(2)
  })
  expect(await Promise.all(calls)).toHaveLength(12)
})

test('H4: of calls that ask for much, or bring much, an app has two at once; others go past them', async () => {
  await app.given.user('lea')
  await untilQuiet()
  const params = { uid: 'lea' }
  const calls: Promise<unknown>[] = []
  await whileLocked('lock table friends in access exclusive mode', async () => {
    for (let n = 0; n < 5; n++) {
      calls.push(fixture.full.listFriends({ params, query: { perPage: 1000 } }))
      const body = { accepted: ['eve'], unknown: 'x'.repeat(40_000) }
      calls.push(fixture.full.addFriends({ params, body }))
    }
    await expect.poll(heldByLocks, wait).toBe(2)
    calls.push(fixture.full.listFriends({ params }))
    await expect.poll(heldByLocks, wait).toBe(3)
  })
  expect(await Promise.all(calls)).toHaveLength(11)
})

/** From here on, to read an address with this word in it holds the event loop. */
function plantSlowAddress(word: string, ms: number): void {
  const parse = URL.parse
  vi.spyOn(URL, 'parse').mockImplementation((url, base) => {
    const end = performance.now() + (String(url).includes(word) ? ms : 0)
    while (performance.now() < end);
    return parse.call(URL, url, base)
  })
  onTestFinished(() => void vi.restoreAllMocks())
}

const crowd = Array.from({ length: 12 }, (_, n) => `crowd-${n}`)
await app.given.users('ned', 'mia', ...crowd)

test.for([
  ['bring much', { unknown: 'x'.repeat(40_000), receiver: 'ned', receiverType: 'user' as const }],
  ['have many receivers', { multipleReceivers: { uids: crowd }, receiverType: 'user' as const }],
] as const)(
  'H4: between calls that %s and hold the loop, neighbours have many turns',
  async ([, much]) => {
    plantSlowAddress('slow', 25)
    const neighbour = app.client(await app.anotherApp(), 'full')
    const data = { attachments: [{ url: 'https://example.org/slow' }] }
    const body = { type: 'image', data, ...much }
    const told: string[] = []
    const hostileCalls = () => told.filter((who) => who === 'hostile').length
    const until = (calls: number) =>
      Promise.all(
        Array.from({ length: 3 }, async () => {
          while (hostileCalls() < calls) {
            await fixture.full.sendMessage({ onBehalfOf: 'mia', body })
            told.push('hostile')
          }
        }),
      )
    let done = false
    const hostile = (async () => {
      // So many are within what the app has left over.
      await until(6)
      told.length = 0
      await until(12)
      done = true
    })()
    while (!done) {
      await neighbour.listUsers({})
      told.push('neighbour')
    }
    await hostile
    expect((told.length - hostileCalls()) / hostileCalls()).toBeGreaterThan(2)
  },
)
