import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startPushFixture } from '../../../../testing/src/notifications/push-fixture.ts'
import { notifyUsers } from './notify.on.ts'

const fixture = await startPushFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, account } = fixture
app.startWorker([notifyUsers])
const wait = { timeout: 50_000, interval: 200 }

await app.given.users('ann', 'bob')
const crowd = Array.from({ length: 301 }, (_, nth) => `member${nth}`)
for (const uid of crowd) await app.given.users(uid)
const fcmCredentials = {
  project_id: account.projectId,
  client_email: account.clientEmail,
  private_key: account.privateKey,
  private_key_id: account.privateKeyId,
}
const settings = { version: 2, pushProvider: 1, fcmCredentials }
await full.updatePushSettings({ params: { appId: app.appId }, body: { settings } })
const phones = new Map<string, string>()
for (const uid of ['ann', 'bob', ...crowd]) phones.set(uid, await fixture.android(uid))

const bodiesOn = (uid: string) => fixture.shown(phones.get(uid) ?? '').map(({ body }) => body)
const add = (guid: string, participants: string[]) =>
  full.addMembers({ onBehalfOf: 'ann', params: { guid }, body: { participants } })

/** Comes behind whatever happened in the group before it. */
async function last(guid: string, text: string): Promise<void> {
  await app.given.message('ann', guid, { receiverType: 'group', data: { text } })
  await expect.poll(() => bodiesOn('bob'), wait).toContain(text)
}

async function planned(): Promise<Map<string, number>> {
  const { rows } = await sql<{ uid: string; count: number }>`
    select uid, count(*)::int as count from notification_deliveries
    where trigger = 'after_group_members_added' group by uid`.execute(app.db)
  return new Map(rows.map(({ uid, count }) => [uid, count]))
}

test('301 members in 13 calls are one push at most for each device', async () => {
  await app.given.group('hall', { owner: 'ann' })
  await add('hall', ['bob'])
  // Whoever is there when it is handled is told of it: nobody else yet.
  await expect.poll(() => bodiesOn('bob'), wait).toEqual(['ANN added BOB'])
  for (let first = 0; first < crowd.length; first += 25) {
    await add('hall', crowd.slice(first, first + 25))
  }
  await last('hall', 'all are here')
  const counts = await planned()
  expect([...counts].filter(([, count]) => count > 1)).toEqual([])
  // Whoever was added hears of it, and whoever did it does not.
  expect([...counts.keys()].toSorted()).toEqual(['bob', ...crowd].toSorted())
  await expect.poll(() => bodiesOn('member0'), wait).toContain('ANN added MEMBER0')
  expect(bodiesOn('bob')).toEqual(['ANN added BOB', 'all are here'])
})

test('one who is added alone is told of to all; the eleventh in a minute is not', async () => {
  await app.given.group('tea', { owner: 'ann' })
  const before = (await planned()).get('bob') ?? 0
  for (const uid of ['bob', ...crowd.slice(0, 12)]) await add('tea', [uid])
  await last('tea', 'tea is served')
  // Their own arrival, and those of the nine behind them.
  expect((await planned()).get('bob')).toBe(before + 10)
})

test('why somebody was not told can be asked; an app may want all of it', async () => {
  await app.given.group('inn', { owner: 'ann' })
  await add('inn', ['bob'])
  const { data } = await add('inn', crowd.slice(0, 2))
  const messageId = Number(data.participants?.member0?.data?.id)
  await last('inn', 'two came')
  const why = await full.explainNotification({ query: { uid: 'bob', messageId } })
  expect(why.data).toMatchObject({ step: 'recipient', reason: 'BULK_CHANGE' })
  const params = { appId: app.appId }
  const wanted = { 'notifications.bulkMemberChanges': true }
  await full.mapAppSettings({ params, body: { settings: wanted } })
  const before = (await planned()).get('bob') ?? 0
  await add('inn', crowd.slice(2, 4))
  await expect.poll(async () => (await planned()).get('bob'), wait).toBe(before + 2)
})
