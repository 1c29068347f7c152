import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import {
  deadlocksIn,
  disorderIn,
  logOf,
  messageOf,
} from '../../../../testing/src/data/log-entries.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import type { ConversationKey } from './entries/entries.ts'
import { type AppendAddition, appendEntries } from './log.sql.ts'
import { appendOnce, openAppendBatcher } from './log.ts'
import {
  ensureUserConversation,
  insertConversation,
  insertParticipants,
} from './participants/participants.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const appDb = { appId, db }

type Place = ConversationKey & { readonly appId: string }

async function conversationOf(...uids: readonly string[]): Promise<Place> {
  const made = await insertConversation(appDb, 100)
  if (uids.length > 0) await insertParticipants(appDb, made, 'some-group', uids)
  return { ...made, appId }
}

async function headOf({ bucket, key }: ConversationKey) {
  const { rows } = await sql<Record<string, number | null>>`
    select head, counted, shown_seq as shown, updated_at as "updatedAt",
           participants_count as participants
    from conversations where bucket = ${bucket} and conversation_key = ${key}`.execute(db)
  return rows[0]
}

async function ownOf({ bucket, key }: ConversationKey): Promise<Record<string, number>> {
  const { rows } = await sql<{ uid: string; own: number }>`
    select uid, own from participants
    where bucket = ${bucket} and conversation_key = ${key}`.execute(db)
  return Object.fromEntries(rows.map(({ uid, own }) => [uid, own]))
}

/** The ranges that receipts name for a conversation, oldest first. */
async function receiptsOf({ bucket, key }: ConversationKey) {
  const { rows } = await sql<{ at: number; first: number; last: number }>`
    select r.at, t.first, t.last
    from append_receipts r
    cross join lateral unnest(r.buckets, r.conversation_keys, r.first_seqs, r.last_seqs)
      as t(bucket, key, first, last)
    where t.bucket = ${bucket} and t.key = ${key} order by r.receipt_id`.execute(db)
  return rows
}

test('entries get dense places, and ids that grow with them and name the bucket', async () => {
  const place = await conversationOf('ann', 'bob')
  const one = await appendEntries(db, [messageOf(place, 'ann')], 200)
  const more = await appendEntries(
    db,
    ['bob', 'ann', 'bob'].map((sender) => messageOf(place, sender)),
    201,
  )
  const placed = [...one, ...more]
  expect(placed.map(({ seq, counted }) => [seq, counted])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ])
  const log = await logOf(db, place)
  expect(disorderIn(log, place.bucket)).toEqual([])
  expect(log.map(({ id, sender }) => [id, sender])).toEqual(
    placed.map(({ id }, at) => [id, ['ann', 'bob', 'ann', 'bob'][at]]),
  )
})

test('a batch over many conversations keeps the order within each of them', async () => {
  const places = await Promise.all(Array.from({ length: 10 }, () => conversationOf('ann')))
  const entries = Array.from({ length: 100 }, (_, n) => {
    const place = places[(n * 7) % 10]
    if (!place) throw new Error('There are ten.')
    return messageOf(place, 'ann', { data: JSON.stringify({ n }) })
  })
  const placed = await appendEntries(db, entries, 200)
  for (const place of places) {
    const log = await logOf(db, place)
    expect(log).toHaveLength(10)
    expect(disorderIn(log, place.bucket)).toEqual([])
    const numbers = log.map(({ data }) => Number(data.n))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    // Results are in the order of the entries.
    expect(log.map(({ seq, id }) => [seq, id])).toEqual(
      numbers.map((n) => [placed[n]?.seq, placed[n]?.id]),
    )
    expect(await receiptsOf(place)).toEqual([{ at: 200, first: 1, last: 10 }])
  }
})

test('the head moves: last place, counted entries, participants, last shown entry and its time', async () => {
  const place = await conversationOf('ann', 'bob')
  expect(await headOf(place)).toMatchObject({ head: 0, counted: 0, shown: null, updatedAt: 100 })
  await appendEntries(db, [messageOf(place, 'ann'), messageOf(place, 'bob')], 200)
  expect(await headOf(place)).toMatchObject({ head: 2, counted: 2, shown: 2, updatedAt: 200 })
  const quiet = { counts: false, shows: false, parentSeq: 1 }
  await appendEntries(db, [messageOf(place, 'ann', quiet)], 300)
  expect(await headOf(place)).toMatchObject({ head: 3, counted: 2, shown: 2, updatedAt: 200 })
  await appendEntries(
    db,
    [
      messageOf(place, 'ann', { joins: 1 }),
      messageOf(place, 'ann', { joins: 1, shows: false }),
      messageOf(place, 'bob', { counts: false, joins: -1 }),
      messageOf(place, 'ann', quiet),
    ],
    400,
  )
  expect(await headOf(place)).toEqual({
    head: 7,
    counted: 4,
    shown: 6,
    updatedAt: 400,
    participants: 1,
  })
  expect(disorderIn(await logOf(db, place), place.bucket)).toEqual([])
})

test('rows of another module are inserted with the entries they belong to, or neither is', async () => {
  const place = await conversationOf('ann', 'bob')
  const pinning = (name: string, source: string): AppendAddition => ({
    name,
    field: 'parentSeq',
    insert: `insert into pins (bucket, conversation_key, seq, app_id) ${source}`,
  })
  const right = pinning(
    'pinned_replies',
    'select bucket, key, seq, app_id from appended where parent_seq is not null order by nth',
  )
  const wrong = pinning('refused_pins', 'select bucket, key, seq / 0, app_id from appended')
  const plain = () => messageOf(place, 'ann')
  const reply = () => messageOf(place, 'bob', { parentSeq: 1 })
  await appendEntries(db, [plain()], 200, [wrong])
  await expect(appendEntries(db, [plain(), reply()], 201, [wrong])).rejects.toThrow('zero')
  const placed = await appendEntries(db, [plain(), reply(), plain(), reply()], 202, [right])
  expect(placed.map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
  const { rows } = await sql<{ seq: number }>`
    select seq from pins where bucket = ${place.bucket} and conversation_key = ${place.key}
    order by seq`.execute(db)
  expect(rows).toEqual([{ seq: 3 }, { seq: 5 }])
  expect(await headOf(place)).toMatchObject({ head: 5 })
})

test('the own-count of a sender grows by what counted, and nobody else is touched', async () => {
  const place = await conversationOf('ann', 'bob', 'eve')
  const elsewhere = await conversationOf('ann')
  await appendEntries(
    db,
    [
      messageOf(place, 'ann'),
      messageOf(place, 'ann'),
      messageOf(place, 'bob', { counts: false }),
      messageOf(place, 'bob'),
      messageOf(elsewhere, 'ann'),
      messageOf(place, 'nobody'),
    ],
    200,
  )
  expect(await ownOf(place)).toEqual({ ann: 2, bob: 1, eve: 0 })
  expect(await ownOf(elsewhere)).toEqual({ ann: 1 })
})

test('whoever came while a batch waited for the head has their own entries counted as own', async () => {
  const place = await conversationOf('ann')
  const { sent } = await db.transaction().execute(async (trx) => {
    await appendEntries(trx, [messageOf(place, 'ann')], 200)
    const sent = appendEntries(db, [messageOf(place, 'bob')], 200)
    await untilSomeoneWaits()
    await insertParticipants({ appId, db: trx }, place, 'some-group', ['bob'])
    return { sent }
  })
  await sent
  expect(await ownOf(place)).toEqual({ ann: 1, bob: 1 })
})

async function untilSomeoneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_locks l join pg_database d on d.oid = l.database or l.database is null
      join pg_stat_activity a on a.pid = l.pid and a.datname = d.datname
      where not l.granted and d.datname = current_database()`.execute(db)
    if (rows.length > 0) return
  }
}

test('receipts name exactly the ranges that were appended', async () => {
  const one = await conversationOf('ann')
  const two = await conversationOf('ann')
  await appendEntries(db, [messageOf(one, 'ann')], 200)
  await appendEntries(
    db,
    [messageOf(two, 'ann'), messageOf(one, 'ann'), messageOf(one, 'ann')],
    201,
  )
  await db
    .transaction()
    .execute(async (trx) => {
      await appendEntries(trx, [messageOf(one, 'ann')], 202)
      throw new Error('changed my mind')
    })
    .catch(() => undefined)
  await appendEntries(db, [messageOf(one, 'ann'), messageOf(one, 'ann')], 203)
  expect(await receiptsOf(one)).toEqual([
    { at: 200, first: 1, last: 1 },
    { at: 201, first: 2, last: 3 },
    { at: 203, first: 4, last: 5 },
  ])
  expect(await receiptsOf(two)).toEqual([{ at: 201, first: 1, last: 1 }])
})

test('appending to a conversation that does not exist fails, and nothing of the batch is kept', async () => {
  const place = await conversationOf('ann')
  const nowhere = { ...place, key: 999_999_999 }
  await expect(appendEntries(db, [messageOf(nowhere, 'ann')], 200)).rejects.toThrow(
    'does not exist',
  )
  const mixed = [messageOf(place, 'ann'), messageOf(nowhere, 'ann'), messageOf(place, 'ann')]
  await expect(appendEntries(db, mixed, 200)).rejects.toThrow('does not exist')
  expect(await logOf(db, place)).toEqual([])
  expect(await headOf(place)).toMatchObject({ head: 0, counted: 0 })
  expect(await receiptsOf(place)).toEqual([])
})

test('the same muid of the same sender is the stored entry, whenever it comes again', async () => {
  const place = await conversationOf('ann', 'bob')
  const hello = () => messageOf(place, 'ann', { muid: 'hello' })
  const [first] = await appendOnce(db, [hello()], 200)
  expect(first).toMatchObject({ seq: 1, repeated: false })
  expect(await appendOnce(db, [hello()], 201)).toEqual([
    { ...first, receipt: undefined, repeated: true },
  ])
  const [other] = await appendOnce(db, [messageOf(place, 'bob', { muid: 'hello' })], 202)
  expect(other).toMatchObject({ seq: 2, repeated: false })
  const elsewhere = await conversationOf('ann')
  expect(await appendOnce(db, [messageOf(elsewhere, 'ann', { muid: 'hello' })], 203)).toMatchObject(
    [{ seq: 1, repeated: false }],
  )
  expect(await headOf(place)).toMatchObject({ head: 2, counted: 2, updatedAt: 202 })
  expect(await ownOf(place)).toEqual({ ann: 1, bob: 1 })
  expect(await receiptsOf(place)).toHaveLength(2)
})

test('a muid repeated inside one batch is one entry, at the place of the first', async () => {
  const place = await conversationOf('ann')
  const entries = ['a', 'b', 'a', 'c', 'b'].map((muid, n) =>
    messageOf(place, 'ann', { muid, data: JSON.stringify({ n }) }),
  )
  const results = await appendOnce(db, entries, 200)
  expect(results).toMatchObject([
    { seq: 1, repeated: false },
    { seq: 2, repeated: false },
    { seq: 1, repeated: true },
    { seq: 3, repeated: false },
    { seq: 2, repeated: true },
  ])
  const log = await logOf(db, place)
  expect(log.map(({ muid, data }) => [muid, data.n])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 3],
  ])
})

test('stored, repeated and new ones share a batch without a hole', async () => {
  const place = await conversationOf('ann', 'bob')
  const other = await conversationOf('ann')
  const withMuid = (muid: string, where = place) => messageOf(where, 'ann', { muid })
  const before = await appendOnce(db, [withMuid('a'), withMuid('b')], 200)
  const results = await appendOnce(
    db,
    [
      messageOf(place, 'bob'),
      withMuid('b'),
      withMuid('c'),
      withMuid('a', other),
      messageOf(place, 'bob'),
      withMuid('a'),
      withMuid('c'),
    ],
    201,
  )
  expect(results).toMatchObject([
    { seq: 3, repeated: false },
    { seq: 2, repeated: true },
    { seq: 4, repeated: false },
    { seq: 1, repeated: false },
    { seq: 5, repeated: false },
    { seq: 1, repeated: true },
    { seq: 4, repeated: true },
  ])
  expect(results[5]).toEqual({ ...before[0], receipt: undefined, repeated: true })
  expect(disorderIn(await logOf(db, place), place.bucket)).toEqual([])
  expect(await ownOf(place)).toEqual({ ann: 3, bob: 2 })
  expect(await receiptsOf(place)).toEqual([
    { at: 200, first: 1, last: 2 },
    { at: 201, first: 3, last: 5 },
  ])
})

test('one bad entry in a batch of the batcher fails alone', async () => {
  const place = await conversationOf('ann')
  const nowhere = { ...place, key: place.key + 1_000_000 }
  const batcher = openAppendBatcher(db, () => 200)
  const good = (n: number) => messageOf(place, 'ann', { data: JSON.stringify({ n }) })
  const settled = await Promise.allSettled(
    [
      good(1),
      messageOf(place, 'ann', { data: '{"text":' }),
      good(2),
      messageOf(nowhere, 'ann'),
      good(3),
      messageOf(place, 'ann', { muid: 'a\0b' }),
    ].map((entry) => batcher.add(entry)),
  )
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
  ])
  const log = await logOf(db, place)
  expect(log.map(({ data }) => data.n)).toEqual([1, 2, 3])
  expect(disorderIn(log, place.bucket)).toEqual([])
  expect(await ownOf(place)).toEqual({ ann: 3 })
  const ranges = await receiptsOf(place)
  expect(ranges.map(({ first, last }) => [first, last])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a conversation that is gone fails its own entry, and no neighbour is stored twice', async () => {
  const place = await conversationOf('ann')
  const gone = { ...place, key: place.key + 2_000_000 }
  const batcher = openAppendBatcher(db, () => 200)
  const settled = await Promise.allSettled(
    [place, gone, place].map((where) => batcher.add(messageOf(where, 'ann'))),
  )
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await logOf(db, place)).toHaveLength(2)
})

test('32 at once who want the conversation of two users get the same one, with two participants', async () => {
  const found = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      n % 2 === 0
        ? ensureUserConversation(appDb, 'ann', 'zoe', 100)
        : ensureUserConversation(appDb, 'zoe', 'ann', 100),
    ),
  )
  expect(new Set(found.map(({ bucket, key }) => `${bucket}/${key}`)).size).toBe(1)
  const [place] = found
  if (!place) throw new Error('There are 32.')
  expect(await ownOf(place)).toEqual({ ann: 0, zoe: 0 })
  expect(await headOf(place)).toMatchObject({ head: 0, participants: 2 })
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from participants p
    join conversations c on c.bucket = p.bucket and c.conversation_key = p.conversation_key
    where p.app_id = ${appId} and p.with_uid in ('ann', 'zoe')`.execute(db)
  expect(rows).toEqual([{ n: 2 }])
})

test('a lone entry that meets a deadlock is appended all the same, once', async () => {
  const place = await conversationOf('ann', 'bob')
  const at = sql`bucket = ${sql.lit(place.bucket)} and conversation_key = ${sql.lit(place.key)}`
  const before = await deadlocksIn(db)
  let appended: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (other) => {
    // The append finds out, and not this one.
    await sql`set local deadlock_timeout = '1min'`.execute(other)
    await sql`update participants set own = own where ${at} and uid = 'ann'`.execute(other)
    appended = openAppendBatcher(db, () => 200).add(messageOf(place, 'ann'))
    appended.catch(() => undefined)
    // At once, before the append has looked for a deadlock.
    await sql`do $$ begin
      while not exists (
        select from pg_locks where not granted and transactionid = pg_current_xact_id()::xid)
      loop perform pg_sleep(0.005); end loop;
      update conversations set head = head where ${at};
    end $$`.execute(other)
  })
  expect(await appended).toMatchObject({ seq: 1, repeated: false })
  // More than one where the second attempt locks the head before the other transaction wakes up.
  await expect.poll(() => deadlocksIn(db), { timeout: 30_000 }).toBeGreaterThan(before)
  expect(await logOf(db, place)).toHaveLength(1)
}, 120_000)
