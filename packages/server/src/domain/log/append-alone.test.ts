import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { messageOf } from '../../../../testing/src/data/log-entries.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { staleNumbers } from '../../database/errors.ts'
import type { ConversationKey } from './entries/entries.ts'
import { appendEntries, type Expected, type NewEntry, type Placed } from './log.sql.ts'
import { insertConversation, insertParticipants } from './participants/participants.sql.ts'

// A message that comes alone is appended by another function than those of a batch: `append_entry`.

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
await app.given.users('ann', 'bob')
await app.given.group('garden', { owner: 'ann' })
await sql`update presence set online = true, last_active_at = 77 where uid = 'bob'`.execute(db)
await sql`
  insert into presence (app_id, uid, online, last_active_at) values (${appId}, 'ann', false, 55)
  on conflict (app_id, uid) do update set online = false, last_active_at = 55`.execute(db)

type Place = ConversationKey & { readonly appId: string }
type Rows = readonly Record<string, unknown>[]

async function conversation(): Promise<Place> {
  const made = await insertConversation({ appId, db }, 100)
  await insertParticipants({ appId, db }, made, 'garden', ['ann', 'bob'])
  return { ...made, appId }
}

async function rowsOf(statement: ReturnType<typeof sql>): Promise<Rows> {
  return (await statement.execute(db)).rows as Rows
}

/** All that an append has written, without what differs from one conversation to the next. */
async function written({ bucket, key }: ConversationKey) {
  const here = sql`bucket = ${bucket} and conversation_key = ${key}`
  return {
    entries: await rowsOf(sql`
      select to_jsonb(e) - 'bucket' - 'conversation_key' - 'id' as row, id % 64 = bucket as "hasId"
      from entries e where ${here} order by seq`),
    conversation: await rowsOf(sql`
      select to_jsonb(c) - 'bucket' - 'conversation_key' as row from conversations c where ${here}`),
    participants: await rowsOf(sql`
      select to_jsonb(p) - 'bucket' - 'conversation_key' as row from participants p where ${here}
      order by uid`),
    receipts: await rowsOf(sql`
      select r.at, t.first, t.last from append_receipts r
      cross join lateral unnest(r.buckets, r.conversation_keys, r.first_seqs, r.last_seqs)
        as t(bucket, key, first, last)
      where t.bucket = ${bucket} and t.key = ${key} order by r.receipt_id`),
  }
}

async function version(statement: ReturnType<typeof sql>): Promise<number> {
  const [row] = await rowsOf(statement)
  return Number(row?.version)
}

const appVersion = await version(
  sql`select row_version as version from apps where app_id = ${appId}`,
)
const versionOfUser = (uid: string) =>
  version(sql`select row_version as version from users where app_id = ${appId} and uid = ${uid}`)
const [ann, bob] = [await versionOfUser('ann'), await versionOfUser('bob')]
const garden = await version(sql`select row_version as version from groups where guid = 'garden'`)
const [member] = await rowsOf(sql`
  select scope, joined_at as "joinedAt" from group_members where guid = 'garden' and uid = 'ann'`)
const membership = { scope: String(member?.scope), joinedAt: Number(member?.joinedAt) }

const toBob: Expected = { appVersion, senderVersion: ann, receiver: { uid: 'bob', version: bob } }
const toGarden: Expected = {
  appVersion,
  senderVersion: ann,
  group: { guid: 'garden', version: garden, membership },
}

const cases: Readonly<Record<string, Partial<NewEntry>>> = {
  'a message': {},
  'a message with a muid and more': { muid: 'm', extra: '{"tags": ["a"]}', type: 'image' },
  'an action that does not count': { counts: false, category: 'action' },
  'one that lists do not show': { shows: false },
  'neither counted nor shown': { counts: false, shows: false },
  'to a user, remembered': { expected: toBob },
  'to a group, remembered': { expected: toGarden },
}

const withoutId = ({ seq, counted, at, seen }: Placed) => ({ seq, counted, at, seen })

test.each(Object.entries(cases))('%s is appended alone as it is in a batch', async (_, more) => {
  const [alone, together, other] = [
    await conversation(),
    await conversation(),
    await conversation(),
  ]
  // What comes before is counted and shown.
  for (const place of [alone, together]) {
    await appendEntries(db, [messageOf(place, 'bob'), messageOf(place, 'ann')], 150)
  }
  for (const at of [300, 200, 400]) {
    const muid = more.muid && `${more.muid}-${at}`
    const entry = (place: Place) => messageOf(place, 'ann', { ...more, muid })
    const [one] = await appendEntries(db, [entry(alone)], at)
    const [same] = await appendEntries(db, [entry(together), entry(other)], at)
    if (!one || !same) throw new Error('An append has no result.')
    expect(one.receipt).toBeGreaterThan(0)
    expect(one.id % 64).toBe(alone.bucket)
    expect(withoutId(one)).toEqual(withoutId(same))
  }
  expect(await written(alone)).toEqual(await written(together))
})

const outdated: Readonly<Record<string, Expected>> = {
  'the app': { ...toBob, appVersion: appVersion - 1 },
  'the sender': { ...toBob, senderVersion: ann - 1 },
  'the receiver': { ...toBob, receiver: { uid: 'bob', version: bob - 1 } },
  'a receiver who is gone': { ...toBob, receiver: { uid: 'nobody', version: bob } },
  'the group': { ...toGarden, group: { guid: 'garden', version: garden - 1, membership } },
  'the scope': {
    ...toGarden,
    group: { guid: 'garden', version: garden, membership: { ...membership, scope: 'moderator' } },
  },
  'the membership': {
    ...toGarden,
    group: { guid: 'garden', version: garden, membership: { ...membership, joinedAt: 1 } },
  },
}

test.each(Object.entries(outdated))(
  'nothing is appended when %s has changed',
  async (_, expected) => {
    const place = await conversation()
    const error = await appendEntries(db, [messageOf(place, 'ann', { expected })], 300).catch(
      (failure: unknown) => failure,
    )
    expect(staleNumbers(error)).toEqual([1])
    expect((await written(place)).entries).toEqual([])
  },
)

test('an entry for a conversation that is gone is refused', async () => {
  const nowhere = messageOf({ appId, bucket: 5, key: 999_999_999 }, 'ann')
  await expect(appendEntries(db, [nowhere], 300)).rejects.toThrow('does not exist')
})
