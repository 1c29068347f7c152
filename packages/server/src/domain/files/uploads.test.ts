import { randomBytes } from 'node:crypto'
import { ChoraleError } from '@chorale/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { bring, partOf } from '../../../../testing/src/files/bring.ts'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const limits = { FILES_MAX_BYTES: '20000000', FILES_USER_BYTES: '30000000' }

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = stack.use(await startTestApp({ shadow: false, settings: { ...limits, ...settings } }))
  await app.given.users('ann', 'bob', 'cyd')
  return app
}

const code = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error) => (error instanceof ChoraleError ? error.code : String(error)),
  )

const installs: readonly (readonly [string, TestApp])[] = [
  ['a folder', await start({})],
  ['S3', await start(s3.settings)],
]

describe.for(installs)('with %s', ([, app]) => {
  const full = app.as('full')

  test('a file is brought, completed once or again, and cancelled', async () => {
    const bytes = randomBytes(5000)
    const { calls: ann } = await app.device('ann')
    const body = { name: 'Käse & "Wein".png', size: 5000, mimeType: 'image/png' }
    const { data: asked } = await ann.createUpload({ body })
    expect(asked).toMatchObject({ ...body, state: 'waiting' })
    const params = { uploadId: asked.uploadId }
    expect(await code(ann.completeUpload({ params }))).toBe('ERR_UPLOAD_NOT_READY')
    const { data: again } = await ann.getUpload({ params })
    expect(again.put?.url.split('?')[0]).toBe(asked.put?.url.split('?')[0])
    if (!again.put) throw new Error('There is no address.')
    expect(await bring(app, again.put, bytes.subarray(1))).toBeGreaterThan(399)
    expect(await bring(app, again.put, bytes)).toBeLessThan(300)
    const { data: done } = await ann.completeUpload({ params })
    expect(done).toEqual({
      uploadId: asked.uploadId,
      ...body,
      state: 'ready',
      createdAt: asked.createdAt,
    })
    expect((await ann.completeUpload({ params })).data).toEqual(done)
    expect((await full.getUpload({ params })).data).toEqual(done)
    await ann.cancelUpload({ params })
    expect(await code(ann.cancelUpload({ params }))).toBe('ERR_UPLOAD_NOT_FOUND')
  })

  test('a large file goes on after a cut where it was', async () => {
    const size = 9_000_000
    const bytes = randomBytes(size)
    const body = { name: 'film.mp4', size, mimeType: 'video/mp4' }
    const { data: asked } = await full.createUpload({ body, onBehalfOf: 'bob' })
    const params = { uploadId: asked.uploadId }
    expect(asked.put).toBeUndefined()
    const { size: partSize = 0, count = 0, put = [] } = asked.parts ?? {}
    expect(put.length).toBe(count)
    for (const one of put.slice(1)) {
      expect(await bring(app, one, partOf(bytes, one.number, partSize))).toBeLessThan(300)
    }
    expect(await code(full.completeUpload({ params }))).toBe('ERR_UPLOAD_NOT_READY')
    const { data: cut } = await full.getUpload({ params })
    expect(cut.parts?.received).toHaveLength(count - 1)
    expect(cut.parts?.put.map(({ number }) => number)).toEqual([1])
    for (const one of cut.parts?.put ?? []) {
      expect(await bring(app, one, partOf(bytes, 1, partSize))).toBeLessThan(300)
    }
    expect((await full.completeUpload({ params })).data.state).toBe('ready')
  })

  test('what is too large, or more than a user may store, is refused', async () => {
    const ask = (size: number) =>
      full.createUpload({ onBehalfOf: 'cyd', body: { name: 'x', size } })
    expect(await code(ask(20_000_001))).toBe('ERR_FILE_TOO_LARGE')
    const { data: first } = await ask(20_000_000)
    expect(await code(ask(10_000_001))).toBe('ERR_FILE_QUOTA_EXCEEDED')
    expect(await code(ask(10_000_000))).toBe('ok')
    expect(await code(ask(1))).toBe('ERR_FILE_QUOTA_EXCEEDED')
    await full.cancelUpload({ params: { uploadId: first.uploadId } })
    expect(await code(ask(20_000_000))).toBe('ok')
    const many = await Promise.all(
      Array.from({ length: 6 }, () => code(full.createUpload({ body: { name: 'x', size: 1 } }))),
    )
    expect(many).toEqual(Array(6).fill('ok'))
  })

  test('an upload is its own user’s, and the app’s', async () => {
    const { calls: ann } = await app.device('ann')
    const { calls: bob } = await app.device('bob')
    const { data } = await ann.createUpload({ body: { name: 'x', size: 1 } })
    const params = { uploadId: data.uploadId }
    const other = app.client(await app.anotherApp(), 'full')
    for (const calls of [bob, other]) {
      expect(await code(calls.getUpload({ params }))).toBe('ERR_UPLOAD_NOT_FOUND')
      expect(await code(calls.completeUpload({ params }))).toBe('ERR_UPLOAD_NOT_FOUND')
      expect(await code(calls.cancelUpload({ params }))).toBe('ERR_UPLOAD_NOT_FOUND')
    }
    expect(await code(full.getUpload({ params }))).toBe('ok')
  })
})

test('an upload for a conversation is refused as a message to it would be', async () => {
  const [[, app]] = installs as [(typeof installs)[0]]
  const full = app.as('full')
  await app.given.users('eve', 'fay')
  await full.blockUsers({ params: { uid: 'ann' }, body: { blockedUids: ['eve'] } })
  const tea = { owner: 'ann', members: { participants: ['bob', 'fay'] } }
  await app.given.group('tea', tea)
  await full.banUser({ params: { guid: 'tea', uid: 'fay' } })
  const ask = (uid: string, receiver: string, receiverType: 'user' | 'group') =>
    code(
      full.createUpload({
        onBehalfOf: uid,
        body: { name: 'x', size: 1, receiver, receiverType },
      }),
    )
  expect(await ask('eve', 'ann', 'user')).toBe('ERR_BLOCKED_SENDER')
  expect(await ask('ann', 'eve', 'user')).toBe('ERR_BLOCKED_RECEIVER')
  expect(await ask('ann', 'nobody', 'user')).toBe('ERR_UID_NOT_FOUND')
  expect(await ask('ann', 'nothing', 'group')).toBe('ERR_GUID_NOT_FOUND')
  expect(await ask('fay', 'tea', 'group')).toBe('ERR_BANNED_GROUPMEMBER')
  expect(await ask('cyd', 'tea', 'group')).toBe('ERR_GROUP_NOT_JOINED')
  expect(await ask('bob', 'tea', 'group')).toBe('ok')
  expect(await ask('nobody', 'ann', 'user')).toBe('ERR_UID_NOT_FOUND')
  const params = { uploadId: '0199c0de-7000-7000-8000-0000000000ab' }
  const unknown = { params, onBehalfOf: 'nobody' }
  expect(await code(full.getUpload(unknown))).toBe('ERR_UID_NOT_FOUND')
  expect(await code(full.completeUpload(unknown))).toBe('ERR_UID_NOT_FOUND')
  expect(await code(full.cancelUpload(unknown))).toBe('ERR_UID_NOT_FOUND')
  const restricted = {
    params: { role: 'default' },
    body: { featuresToRestrict: ['createMessage'] },
  }
  await full.restrictFeatures(restricted)
  const asAnn = { params, onBehalfOf: 'ann' }
  expect(await ask('ann', 'bob', 'user')).toBe('ERR_PERMISSION_DENIED')
  expect(await code(full.getUpload(asAnn))).toBe('ERR_PERMISSION_DENIED')
  expect(await code(full.completeUpload(asAnn))).toBe('ERR_PERMISSION_DENIED')
  expect(await code(full.cancelUpload(asAnn))).toBe('ERR_PERMISSION_DENIED')
})

test('an install without a store takes no files; an app may bring its own bucket', async () => {
  const app = await start({ FILES_FOLDER: '', EGRESS_ALLOW: '127.0.0.1/32', EGRESS_HTTP: 'true' })
  const full = app.as('full')
  const ask = () => full.createUpload({ body: { name: 'x', size: 3 } })
  expect(await code(ask())).toBe('ERR_FILES_NOT_CONFIGURED')
  expect(await code(full.getFileStore({}))).toBe('ERR_FILE_STORE_NOT_FOUND')
  expect(await code(full.deleteFileStore({}))).toBe('ERR_FILE_STORE_NOT_FOUND')
  const { accessKeyId, secretAccessKey } = s3.keys
  const bucket = { endpoint: s3.endpoint, bucketName: s3.bucket, prefix: 'own/', accessKeyId }
  const wrong = { ...bucket, secretAccessKey: 'wrong' }
  expect(await code(full.setFileStore({ body: wrong }))).toBe('ERR_FILE_STORE_REFUSED')
  const inside = { ...bucket, endpoint: 'http://10.0.0.1:9000', secretAccessKey }
  expect(await code(full.setFileStore({ body: inside }))).toBe('ERR_FILE_STORE_REFUSED')
  const { data } = await full.setFileStore({ body: { ...bucket, secretAccessKey } })
  expect(data).toMatchObject({ ...bucket, secretAccessKey: '********' })
  expect((await full.getFileStore({})).data).toEqual(data)
  const { data: asked } = await ask()
  if (!asked.put) throw new Error('There is no address.')
  expect(asked.put.fields?.key).toMatch(new RegExp(`^own/${app.appId}/`))
  expect(await bring(app, asked.put, Buffer.from('abc'))).toBe(204)
  await full.deleteFileStore({})
  expect(await code(ask())).toBe('ERR_FILES_NOT_CONFIGURED')
  // What is in it stays in use.
  const { data: done } = await full.completeUpload({ params: { uploadId: asked.uploadId } })
  expect(done.state).toBe('ready')
})
