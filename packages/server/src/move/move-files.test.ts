import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { bring } from '../../../testing/src/files/bring.ts'
import { photoOf } from '../../../testing/src/files/photo.ts'
import {
  announced,
  cutOnce,
  inChunks,
  limitedOnce,
  redirect,
  startFileServer,
} from '../../../testing/src/move/file-server.ts'
import { startHosted } from '../../../testing/src/move/hosted.ts'
import { startMoving } from '../../../testing/src/move/moving-process.ts'
import { openReceiver } from '../../../testing/src/network/receiver.ts'
import { startPushFixture } from '../../../testing/src/notifications/push-fixture.ts'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { seeded } from '../../../testing/src/seeded.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { listeners } from '../listeners.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const mebibyte = 1024 * 1024
const files = stack.use(await startFileServer())
const s3 = stack.use(await startS3Server())
const oldS3 = stack.use(await startS3Server())
const old = stack.use(await startTestApp({ shadow: false, settings: oldS3.settings }))
const there = old.as('full')
const checked = { FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
const most = { FILES_MAX_BYTES: String(12 * mebibyte) }
const settings = { EGRESS_HTTP: 'true', ...s3.settings, ...checked, ...most }
const fresh = stack.use(await startPushFixture({ settings }))
fresh.app.startWorker(listeners)
const hosted = stack.use(
  await startHosted({
    origin: old.origin,
    pageSize: 100,
    every: { limited: 0, failed: 29, cut: 37 },
  }),
)
const state = join(mkdtempSync(join(tmpdir(), 'chorale-move-')), 'state.json')
const sides = [
  ...['--from-url', hosted.url, '--from-app', old.appId],
  ...['--to-url', `${fresh.app.origin}/v3`, '--to-app', fresh.app.appId],
  ...[
    '--state',
    state,
    '--json',
    '--file-hosts',
    `${files.host},${URL.parse(oldS3.endpoint)?.host}`,
  ],
]
const move = (...args: readonly string[]) =>
  startMoving([...args, ...sides], { from: old.keys.full, to: fresh.app.keys.full })

async function printed({ ended }: ReturnType<typeof move>) {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const random = seeded('files')
const bytesOf = (size: number) => Buffer.from(Array.from({ length: size }, () => random.below(256)))
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** What each file has, by name. */
const contents = new Map<string, Buffer>()
function fileOf(name: string, size = 2000, serving = (bytes: Buffer) => files.add(name, bytes)) {
  const bytes = size > mebibyte ? Buffer.alloc(size, bytesOf(997)) : bytesOf(size)
  contents.set(name, bytes)
  return { url: serving(bytes), name, mimeType: 'application/octet-stream', size: String(size) }
}

async function send(sender: string, attachments: readonly object[], type = 'file') {
  const receiver = sender === 'ann' ? 'bob' : 'ann'
  const body = {
    receiver,
    receiverType: 'user',
    type,
    data: { text: 'look', attachments },
  } as const
  const { data } = await there.sendMessage({ onBehalfOf: sender, body })
  if (!('id' in data)) throw new Error('One message.')
  return data.id
}

/** The old side may store files itself: their addresses are others each time. */
async function uploadThere(uid: string, { name, size }: ReturnType<typeof fileOf>) {
  const body = { name, size: Number(size) }
  const { data } = await there.createUpload({ onBehalfOf: uid, body })
  if (!data.put) throw new Error('It is not small.')
  await bring(old, data.put, contents.get(name) ?? Buffer.of())
  await there.completeUpload({ params: { uploadId: data.uploadId } })
  return data.uploadId
}

interface Shown {
  readonly uploadId?: string
  readonly name?: string
  readonly url?: string
  readonly thumbhash?: unknown
}

async function shown(id: string): Promise<readonly Shown[]> {
  const { data } = await fresh.full.getMessage({ params: { id } })
  return data.data.attachments ?? []
}

/** The names of files that the new side has, and may have been told so. */
async function completed(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from files where app_id = ${fresh.app.appId} and state <> 'waiting'
    order by name`.execute(fresh.app.db)
  return rows.map(({ name }) => name)
}

/** A phone on the new side, and a webhook there. */
async function listenHere() {
  const { appId } = fresh.app
  const { data } = await there.listUsers({ query: {} })
  const users = Object.fromEntries(
    data.map(({ uid, name, createdAt }) => [uid, { uid, name, createdAt }]),
  )
  await fresh.full.importUsers({ body: { users } })
  await fresh.useGoogle('google')
  const token = await fresh.android('bob', 'google')
  const { url, received } = stack.use(await openReceiver())
  const headers = { 'X-Webhook-Version': 2 }
  const body = { id: 'here', name: 'here', webhookURL: url }
  await fresh.full.createWebhook({ params: { appId }, headers, body })
  const triggerIds = ['message_sent', 'message_edited']
  const params = { appId, webhookId: 'here' }
  await fresh.full.addWebhookTriggers({ params, headers, body: { triggerIds } })
  return () => [fresh.shown(token).length, received.length]
}

/** Sent on the old side: 30 files and more, of which four stay links. */
async function fill() {
  for (const uid of ['ann', 'bob', 'cid']) await there.createUser({ body: { uid, name: uid } })
  const plain: string[] = []
  for (let nth = 0; nth < 22; nth++) plain.push(await send('ann', [fileOf(`plain ${nth}.bin`)]))
  const serve = (name: string, how: (bytes: Buffer) => Parameters<typeof files.add>[1]) =>
    fileOf(name, 3000, (bytes) => files.add(name, how(bytes)))
  await send('bob', [serve('cut.bin', cutOnce), serve('limited.bin', limitedOnce)])
  await send('bob', [serve('chunks.bin', inChunks), fileOf('parts.bin', 9 * mebibyte)])
  const real = fileOf('real.bin')
  await send('ann', [{ ...real, url: files.add('moved.bin', redirect(real.url)) }])
  const doubled = fileOf('doubled.bin')
  for (const sender of ['ann', 'ann', 'bob']) await send(sender, [doubled])
  // Whoever is deactivated since can have no upload.
  await send('cid', [fileOf('cid.bin')])
  await there.deactivateUsers({ body: { uidsToDeactivate: ['cid'] } })
  const own = fileOf('own.bin')
  await send('bob', [{ uploadId: await uploadThere('bob', own) }])
  const jpeg = await photoOf(640, 480)
  const photo = { url: files.add('photo.jpg', jpeg), name: 'photo.jpg', mimeType: 'image/jpeg' }
  const photoId = await send('ann', [{ ...photo, size: String(jpeg.length) }], 'image')
  const away = fileOf('away.bin').url.replace('127.0.0.1', 'localhost')
  const gone = { url: `http://${files.host}/gone.bin`, name: 'gone.bin' }
  const left = [
    [gone, fileOf('beside.bin')],
    [{ url: files.add('leaves.bin', redirect(away)), name: 'leaves.bin' }],
    [{ url: files.add('large.bin', announced(13 * mebibyte)), name: 'large.bin' }],
    [{ url: files.add('page.html', Buffer.from('<html></html>')), name: 'page.html' }],
  ]
  const leftIds: string[] = []
  for (const attachments of left) leftIds.push(await send('ann', attachments))
  await send('ann', [{ url: 'https://elsewhere.example.com/x.bin', name: 'x.bin' }])
  return { plain, photoId, leftIds }
}

test('files of messages come along over kills and faults, once each, and nobody is told', async () => {
  const { plain, photoId, leftIds } = await fill()
  const told = await listenHere()
  const plan = await printed(move('plan'))
  expect(plan.files).toBe(38)
  expect(plan.remarks.join()).toContain('elsewhere.example.com')

  const first = move('run', '--files-per-second', '10')
  const wait = { timeout: 60_000, interval: 20 }
  await expect.poll(async () => (await completed()).length, wait).toBeGreaterThan(7)
  first.kill()
  expect((await first.ended).code).toBe(null)
  const before = await completed()
  const asked = new Map(files.asked)
  const { moved, left } = await printed(move('run', '--files-per-second', '100'))
  for (const name of before) expect([name, files.asked.get(name)]).toEqual([name, asked.get(name)])
  expect(moved.files).toBe(33)
  const whys = left.map(({ kind, id, why }: Left) => [kind, id, why.split(' ').slice(1).join(' ')])
  expect(whys.toSorted()).toEqual(
    [
      ['files', leftIds[0], 'answers 404'],
      ['files', leftIds[1], `leads to localhost:${files.host.split(':')[1]}, which is not named`],
      ['files', leftIds[2], 'is too large'],
      ['files', leftIds[3], expect.stringMatching(/^is refused: /)],
    ].toSorted(),
  )
  await expectSame()
  expect((await shown(photoId))[0]).toMatchObject({
    uploadId: expect.any(String),
    thumbhash: expect.any(String),
  })
  expect((await shown(leftIds[0] ?? '')).map(({ uploadId }) => uploadId === undefined)).toEqual([
    true,
    false,
  ])
  // The doubled one is a file of each of its two senders; the page was checked, and is none.
  const names = (await completed()).filter((name) => name !== 'page.html')
  expect(names).toHaveLength(33)
  expect(names.filter((name, nth) => names.indexOf(name) !== nth)).toEqual(['doubled.bin'])

  const following = move('follow', '--every', '0.2')
  const late = await send('bob', [fileOf('late.bin')])
  const [id = ''] = plain
  await there.editMessage({
    params: { id },
    onBehalfOf: 'ann',
    body: { data: { text: 'edited', attachments: [fileOf('plain 0.bin')] } },
  })
  const uploadOf = async () => (await shown(late).catch(() => []))[0]?.uploadId
  await expect.poll(uploadOf, wait).toBeDefined()
  following.stop()
  await printed(following)
  await printed(move('cut-over'))
  const { data } = await fresh.full.getMessage({ params: { id } })
  expect(data.data).toMatchObject({
    text: 'edited',
    attachments: [{ uploadId: expect.any(String) }],
  })
  const compared = await printed(move('compare'))
  expect(compared).toMatchObject({ differing: 0, differences: [], left: expect.any(Array) })
  expect(compared.left).toHaveLength(4)
  expect(told()).toEqual([0, 0])
  expect(readdirSync(join(state, '..')).filter((name) => name.includes('.file-'))).toEqual([])

  await damage(id, plain[2] ?? '')
  const { differences } = await printed(move('compare', '--only', 'messages'))
  expect(
    differences.map(({ kind, what }: { kind: string; what: string }) => `${kind} ${what}`),
  ).toEqual(['messages differs', 'files missing'])
  // Had anybody been told of a message, it would have been seen here.
  const body = { receiver: 'bob', receiverType: 'user', data: { text: 'new' } } as const
  await fresh.full.sendMessage({ onBehalfOf: 'ann', body })
  await expect.poll(told, { timeout: 20_000 }).toEqual([1, 1])
  await fresh.full.editMessage({
    params: { id: plain[1] ?? '' },
    onBehalfOf: 'ann',
    body: { data: { text: 'written here', attachments: await shown(plain[1] ?? '') } },
  })
  expect((await printed(move('back'))).messages).toBe(1)
  const given = (await there.getMessage({ params: { id: plain[1] ?? '' } })).data.data
  expect(given).toMatchObject({ text: 'written here', attachments: [fileOf('plain 1.bin')] })
  expect(hosted.broken).toEqual([])
}, 240_000)

interface Left {
  readonly kind: string
  readonly id: string
  readonly why: string
}

/** Every file of the old side that could be moved has the same bytes on the new one. */
async function expectSame(): Promise<void> {
  const query = { affix: 'append', limit: 100 } as const
  const { data } = await fresh.full.listMessages({ query })
  const seen = new Set<string>()
  for (const message of data) {
    const attachments: readonly Shown[] =
      'data' in message && 'attachments' in message.data ? (message.data.attachments ?? []) : []
    for (const { uploadId, name = '', url = '' } of attachments) {
      const bytes = contents.get(name)
      if (uploadId === undefined || !bytes) continue
      expect([name, digest(await (await fetch(url)).bytes())]).toEqual([name, digest(bytes)])
      seen.add(name)
    }
  }
  expect(seen.size).toBe(31)
}

/** Another file in the place of one, and a link in that of another. */
async function damage(first: string, second: string): Promise<void> {
  const { appId, db } = fresh.app
  const link = await there.getMessage({ params: { id: second } })
  await sql`
    update entries set data = jsonb_set(data::jsonb, '{attachments,0,name}', '"other.bin"')::json
    where app_id = ${appId} and id = ${first}`.execute(db)
  await sql`
    update entries set data = ${JSON.stringify(link.data.data)}::json, extra = extra - 'files'
    where app_id = ${appId} and id = ${second}`.execute(db)
}
