import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { findSeenUsers, openRememberedUsers } from './seen-users.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const full = app.as('full')
const params = { uid: 'ann' }

const remembered = openRememberedUsers(1_000_000)
const wanted = ['ann', 'bob'].map((uid) => ({ appId, uid, viewer: undefined }))
const remember = () => findSeenUsers(db, wanted, remembered)
const read = () => findSeenUsers(db, wanted)
/** Their place and version stand in the rows, too. */
const names = async (rows: ReturnType<typeof read>) => (await rows).map((row) => row?.name)

beforeAll(() => app.given.users('ann', 'bob'))

const comes = (online: boolean, at: number) => sql`
  insert into presence (app_id, uid, online, last_active_at) values (${appId}, 'ann', ${online}, ${at})
  on conflict (app_id, uid) do update set online = ${online}, last_active_at = ${at}`

const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a name', () => full.updateUser({ params, body: { name: 'Anna' } })],
  ['metadata', () => full.updateUser({ params, body: { metadata: { a: 1 } } })],
  ['tags', () => full.updateUser({ params, body: { tags: ['new'] } })],
  ['an avatar', () => full.updateUser({ params, body: { avatar: 'https://x.example/a.png' } })],
  ['no avatar', () => full.updateUser({ params, body: { unset: ['avatar'] } })],
  ['that she is there', () => comes(true, 100).execute(db)],
  ['when she was last active', () => comes(true, 200).execute(db)],
  ['that she has gone', () => comes(false, 200).execute(db)],
  ['deactivation', () => full.deleteUser({ params, body: { permanent: false } })],
  ['its end', () => full.reactivateUsers({ body: { uidsToActivate: ['ann'] } })],
  ['deletion', () => full.deleteUser({ params, body: { permanent: true } })],
  ['another user of the name', () => full.createUser({ body: { uid: 'ann', name: 'Another' } })],
]

test.each(changes)('a remembered user is as stored after %s', async (_, change) => {
  const before = await remember()
  await change()
  const after = await read()
  expect(after[0]).not.toEqual(before[0])
  expect(await remember()).toEqual(after)
  expect(await remember()).toEqual(after)
})

test('a user is not read again until they have another version', async () => {
  const [, bob] = await remember()
  const known = remembered.get(appId, 'bob')
  if (!bob || !known) throw new Error('Bob is not remembered.')
  // Only a user who is not read again can have this name.
  remembered.set(appId, 'bob', { ...known, row: { ...bob, name: 'not stored' } })
  expect(await names(remember())).toEqual(['Another', 'not stored'])
  await full.updateUser({ params: { uid: 'bob' }, body: { name: 'Robert' } })
  expect(await names(remember())).toEqual(['Another', 'Robert'])
})

test('whom somebody has blocked is read for each', async () => {
  await full.blockUsers({ params, body: { blockedUids: ['bob'] } })
  const seen = wanted.map((one) => ({ ...one, viewer: 'ann' }))
  const [, bob] = await findSeenUsers(db, seen, remembered)
  expect(bob?.blockedByMeAt).toBeGreaterThan(0)
  expect((await remember())[1]?.blockedByMeAt).toBeNull()
})
