import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { photoOf } from '../../../../testing/src/files/photo.ts'
import { type S3Server, startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { openS3 } from '../../storage/s3.ts'
import { enqueueErasures } from '../apps/erasure.sql.ts'

// What is gone is gone from the store as well, with its thumbnails: all of it is listed.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const wait = { timeout: 30_000, interval: 100 }
const now = Math.floor(Date.now() / 1000)
const photo = await photoOf(1200, 900)

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const checked = { FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1', ...settings }
  const live = { listeners, settings: { NATS_PREFIX: natsPrefix(), ...checked } }
  const app = stack.use(await startTestApp({ shadow: false, live }))
  await app.given.users('ann', 'bob')
  return app
}

const folderOf = (app: TestApp) =>
  join(tmpdir(), `chorale-files-${new URL(app.databaseUrl).pathname.slice(1)}`)

/** Every file of the folder, whatever its name. */
async function inFolder(app: TestApp, text: string): Promise<string[]> {
  const all = await readdir(folderOf(app), { recursive: true, withFileTypes: true }).catch(() => [])
  return all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .filter((path) => path.includes(text))
}

async function inBucket({ endpoint, bucket, keys }: S3Server, text: string): Promise<string[]> {
  using store = openS3(
    { endpoint, bucket, region: 'us-east-1', style: 'path', uploads: 'post', ...keys },
    { clock: () => now },
  )
  const all = await Array.fromAsync(store.list(''))
  return all.map(({ key }) => key).filter((key) => key.includes(text))
}

const [withFolder, withBucket] = [await start({}), await start(s3.settings)]
const installs = [
  ['a folder', withFolder, (text: string) => inFolder(withFolder, text)],
  ['S3', withBucket, (text: string) => inBucket(s3, text)],
] as const

describe.for(installs)('with %s', ([, app, stored]) => {
  const full = app.as('full')

  /** A picture, once it is checked: three thumbnails of it are stored too. */
  async function upload(uid: string): Promise<string> {
    const body = { name: 'cat.jpg', size: photo.length, mimeType: 'image/jpeg' }
    const { data } = await full.createUpload({ onBehalfOf: uid, body })
    if (data.put) await bring(app, data.put, photo)
    await full.completeUpload({ params: { uploadId: data.uploadId } })
    await expect.poll(() => partsOf(data.uploadId), wait).toEqual(allParts)
    return data.uploadId
  }
  const partsOf = async (uploadId: string) =>
    (await stored(uploadId)).map((key) => key.split('/').at(-1)).toSorted()
  const allParts = ['clean', 'large', 'medium', 'small']
  const image = (uploadId: string) =>
    ({ type: 'image', data: { attachments: [{ uploadId }] } }) as const
  const noneOf = (uploadId: string) => expect.poll(() => stored(uploadId), wait).toEqual([])

  test('retention removes files of what is old, and of nothing else', async () => {
    const [old, young] = [await upload('ann'), await upload('ann')]
    const item = {
      muid: 'old',
      sender: 'ann',
      receiver: 'bob',
      receiverType: 'user',
      sentAt: now - 60 * 86_400,
      data: { text: 'old' },
    } as const
    const { data } = await full.importMessages({ body: { messages: { old: item } } })
    const { id } = Object(data.old?.data)
    // An edit names the file, and leaves the message as old as it is.
    const edited = { text: 'old', attachments: [{ uploadId: old }] }
    await full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data: edited } })
    await app.given.message('ann', 'bob', image(young))
    await full.setRetention({ body: { days: 30 } })
    await sql`
      update retention_runs set started_at = 0 where app_id = ${app.appId}`.execute(app.db)
    app.wake({ name: 'retention' })
    await noneOf(old)
    expect(await partsOf(young)).toEqual(allParts)
  })

  test('a report keeps the file of a message that was deleted for ever, until it is closed', async () => {
    const file = await upload('ann')
    const { id } = await app.given.message('ann', 'bob', image(file))
    const report = { reasonId: 'harassment', remark: 'bad' }
    await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: report })
    await full.deleteMessage({ params: { id }, onBehalfOf: 'ann', body: { permanent: true } })
    const { data } = await full.listFlaggedMessages()
    const [shown] = data.find((row) => row.id === id)?.data?.attachments ?? []
    // Moderators see what they decide about.
    const { status } = await app.fetchFile(shown?.url ?? '')
    expect(status).toBe(200)
    expect(await partsOf(file)).toEqual(allParts)
    await full.reviewFlaggedMessage({ params: { id }, body: { status: 'approved' } })
    await noneOf(file)
  })

  test('erased users take their files along, in messages and in none', async () => {
    await app.given.users('zoe')
    const [named, unnamed, ofBob] = [
      await upload('zoe'),
      await upload('zoe'),
      await upload('bob'),
    ] as const
    await app.given.message('zoe', 'bob', image(named))
    await app.given.message('bob', 'ann', image(ofBob))
    await full.eraseUser({ body: { uid: 'zoe' } })
    await noneOf(named)
    // What no message names goes after a day.
    await sql`
      update file_removals set due_at = 0
      where app_id = ${app.appId} and file_id = ${unnamed}`.execute(app.db)
    app.wake({ name: 'file removals' })
    await noneOf(unnamed)
    expect(await partsOf(ofBob)).toEqual(allParts)
  })

  test('a deleted group takes its files along, and no others', async () => {
    await app.given.group('den', { owner: 'ann', members: { participants: ['bob'] } })
    const [inGroup, elsewhere] = [await upload('ann'), await upload('ann')]
    await app.given.message('ann', 'den', { ...image(inGroup), receiverType: 'group' })
    await app.given.message('ann', 'bob', image(elsewhere))
    await full.deleteGroup({ params: { guid: 'den' } })
    await noneOf(inGroup)
    expect(await partsOf(elsewhere)).toEqual(allParts)
  })

  test('an erased app leaves nothing in the store', async () => {
    const { appId } = app
    await upload('ann')
    const { data } = await full.createUpload({ body: { name: 'x', size: 20_000_000 } })
    const [part] = data.parts?.put ?? []
    if (part) await bring(app, part, randomBytes(data.parts?.size ?? 0))
    expect((await stored(appId)).length).toBeGreaterThan(0)
    await sql`update apps set archived_at = 1, delete_at = 1 where app_id = ${appId}`.execute(
      app.db,
    )
    await enqueueErasures(app.db, now)
    app.wake({ name: 'erasures of apps' })
    await expect.poll(() => stored(appId), wait).toEqual([])
  })
})
