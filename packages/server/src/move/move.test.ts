import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTalks, Talkers } from '../../../testing/src/imports/random-history.ts'
import { startHosted } from '../../../testing/src/move/hosted.ts'
import { startMoving } from '../../../testing/src/move/moving-process.ts'
import { seeded } from '../../../testing/src/seeded.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { freePort } from '../main/start/free-port.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const old = stack.use(await startTestApp({ shadow: false }))
const fresh = stack.use(await startTestApp({ shadow: false }))
const hosted = stack.use(
  await startHosted({
    origin: old.origin,
    pageSize: 25,
    every: { limited: 71, failed: 29, cut: 37 },
  }),
)

const folder = mkdtempSync(join(tmpdir(), 'chorale-move-'))
const sides = [
  ...['--from-url', hosted.url, '--from-app', old.appId],
  ...['--to-url', `${fresh.origin}/v3`, '--to-app', fresh.appId],
  ...['--state', join(folder, 'state.json'), '--json'],
]
const move = (...args: readonly string[]) =>
  startMoving([...args, ...sides], { from: old.keys.full, to: fresh.keys.full })

interface Compared {
  readonly compared: number
  readonly differing: number
  readonly differences: readonly { kind: string; id: string; what: string; fields?: string[] }[]
}

/** The JSON that a command has printed. */
async function printed({ ended }: ReturnType<typeof move>) {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const compare = (...how: readonly string[]): Promise<Compared> => printed(move('compare', ...how))

test('an app moves over a faulty line, killed in the middle, and each planted damage is named', async () => {
  const source = old.as('full')
  await openTalks(source)
  const talkers = new Talkers(source, seeded('move'))
  for (let step = 0; step < 70; step++) await talkers.step()
  await source.createUser({ body: { uid: 'zed', name: 'Zed' } })
  await source.addMembers({ params: { guid: 'club' }, body: { participants: ['zed'] } })
  await source.banUser({ params: { guid: 'club', uid: 'zed' } })
  // A muid is unique for a sender in a conversation only.
  for (const onBehalfOf of ['ann', 'bob']) {
    const body = {
      receiver: 'club',
      receiverType: 'group',
      muid: 'same',
      data: { text: 'Hi.' },
    } as const
    await source.sendMessage({ onBehalfOf, body })
  }
  const params = { uid: 'zed' }
  await source.blockUsers({ params, body: { blockedUids: ['ann'] } })
  await source.addFriends({ params, body: { accepted: ['bob', 'cid'] } })

  const first = move('run')
  await expect
    .poll(() => hosted.answered.get('/messages') ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(2)
  first.kill()
  expect((await first.ended).code).toBe(null)
  const { stdout, stderr, code } = await move('run', '--relations').ended
  expect([code, stderr.includes('rror')]).toEqual([0, false])
  const { moved, left } = JSON.parse(stdout)
  expect(left).toEqual([])
  expect(moved.messages).toBeGreaterThan(40)

  const port = await freePort()
  const hear = ['--webhooks', String(port), '--webhook-secret', secret]
  const following = move('follow', '--every', '0.2', '--for', '5', ...hear)
  for (let step = 0; step < 20; step++) await talkers.step()
  await source.updateUser({ params: { uid: 'cid' }, body: { name: 'Cid the second' } })
  await source.createUser({ body: { uid: 'eve', name: 'Eve' } })
  await source.sendMessage({
    onBehalfOf: 'eve',
    body: { receiver: 'ann', receiverType: 'user', data: { text: 'I am new.' } },
  })
  await source.addMembers({ params: { guid: 'club' }, body: { participants: ['eve'] } })
  await source.leaveGroup({ params: { guid: 'club' }, onBehalfOf: 'dee' })
  await hearOfOld(port)
  const followed = await printed(following)
  expect(followed.left).toEqual([])
  expect(followed.lagSeconds).toBeLessThan(30)
  const plan = await printed(move('plan'))
  expect(plan).toMatchObject({ users: 6, groups: 2, remarks: expect.arrayContaining([]) })
  await source.removeFriends({ params, body: { friends: ['cid'] } })
  const cut = await printed(move('cut-over', '--relations'))
  expect(cut.left).toEqual([])
  expect(await compare()).toMatchObject({ differing: 0, differences: [] })
  const sample = await compare('--sample', '50')
  expect(sample).toMatchObject({ differing: 0 })
  expect(sample.compared).toBeGreaterThan(50)

  const here = fresh.as('full')
  const [friends, blocked] = [
    await here.listFriends({ params, query: {} }),
    await here.listBlockedUsers({ params, query: {} }),
  ]
  const uidsIn = ({ data }: typeof friends) => data.map(({ uid }) => uid)
  expect([uidsIn(friends), uidsIn(blocked)]).toEqual([['bob'], ['ann']])
  await goBack()
  await damage()
  const { differences } = await compare()
  expect(differences.map(({ kind, id, what }) => `${kind} ${id} ${what}`).toSorted()).toEqual(
    await expected(),
  )
  expect(Math.min(...Object.values(hosted.faults))).toBeGreaterThan(0)
}, 240_000)

const secret = 'not-so-secret-words'

/** A webhook tells of a reaction to an old message, which no list of new ones shows. */
async function hearOfOld(port: number): Promise<void> {
  const { rows } = await at(0).execute(fresh.db)
  const id = String(rows[0]?.id)
  const there = old.as('full')
  const { data } = await there.getMessage({ params: { id } })
  await there.addReaction({ params: { id, reaction: 'late' }, onBehalfOf: data.sender })
  const tell = (password: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`any:${password}`)}` },
      body: JSON.stringify({
        trigger: 'message_reaction_added',
        data: { reaction: { messageId: id } },
      }),
    }).then(({ status }) => status, String)
  await expect.poll(() => tell('wrong')).toBe(401)
  expect(await tell(secret)).toBe(200)
  await expect
    .poll(async () => (await fresh.as('full').getMessage({ params: { id } })).data.data.reactions)
    .toContainEqual({ reaction: 'late', count: 1 })
}

/** What is written here after the cut-over is there afterwards. */
async function goBack(): Promise<void> {
  const here = fresh.as('full')
  const { data: shared } = await here.sendMessage({
    onBehalfOf: 'bob',
    body: { receiver: 'team', receiverType: 'group', data: { text: 'Written here.' } },
  })
  const { rows } = await at(5).execute(fresh.db)
  const params = { id: String(rows[0]?.id) }
  await here.editMessage({ params, body: { data: { text: 'Edited here.' } } })
  const back = await printed(move('back'))
  expect(back).toEqual({ messages: 1, left: [] })
  const there = old.as('full')
  expect((await there.getMessage({ params })).data.data.text).toBe('Edited here.')
  const { data } = await there.listGroupMessages({
    params: { guid: 'team' },
    query: { category: 'message' },
  })
  expect(data.at(-1)).toMatchObject({
    muid: 'id' in shared ? shared.id : '',
    sender: 'bob',
    data: { text: 'Written here.' },
  })
}

const at = (nth: number) => sql<{ id: string }>`
  (select id from entries where app_id = ${fresh.appId} and category = 'message'
     and edited_at is null and deleted_at is null and parent_seq is null
     and not extra ? 'thread' and not extra ? 'reactions'
   order by id offset ${nth} limit 1)`

const named: string[] = []

/** A message withheld, a member dropped, an edit lost, two messages in the place of each other. */
async function damage(): Promise<void> {
  const { appId, db } = fresh
  const { rows: withheld } = await at(3).execute(db)
  const gone = withheld[0]?.id
  const { rows: edits } = await sql<{ id: string }>`
    select id from entries where app_id = ${appId} and edited_at is not null
      and deleted_at is null limit 1`.execute(db)
  const edited = edits[0]?.id
  const { rows: swapped } = await sql<{ key: number; seq: number }>`
    select e.conversation_key as key, e.seq from entries e
    join groups g on g.app_id = e.app_id and g.conversation_key = e.conversation_key
    where e.app_id = ${appId} and g.guid = 'team' and e.category = 'message' and e.id <> ${gone}
      and e.parent_seq is null and not e.extra ? 'thread' and not e.extra ? 'reactions'
    order by e.seq limit 2`.execute(db)
  const [one, other] = swapped
  expect(swapped).toHaveLength(2)
  for (const [from, to] of [
    [one?.seq, -1],
    [other?.seq, one?.seq],
    [-1, other?.seq],
  ]) {
    await sql`
      update entries set seq = ${to}
      where app_id = ${appId} and conversation_key = ${one?.key} and seq = ${from}`.execute(db)
  }
  await sql`delete from entries where app_id = ${appId} and id = ${gone}`.execute(db)
  await sql`
    update entries set edited_at = null, data = '{"text":"before"}', extra = extra - 'editedBy'
    where app_id = ${appId} and id = ${edited}`.execute(db)
  await sql`
    delete from group_members where app_id = ${appId} and guid = 'team' and uid = 'bob'
  `.execute(db)
  named.push(
    `messages ${gone} missing`,
    `messages ${edited} differs`,
    'order group_team differs',
    'members team bob missing',
  )
}

async function expected(): Promise<unknown> {
  return expect.arrayContaining(named)
}
