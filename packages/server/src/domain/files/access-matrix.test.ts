import { randomBytes } from 'node:crypto'
import { ChoraleError } from '@chorale/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { bring } from '../../../../testing/src/files/bring.ts'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'

// Who gets no file, and by which address nobody gets one: every one of them, by every way.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
let now = Math.floor(Date.now() / 1000)

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = stack.use(await startTestApp({ shadow: false, settings, clock: () => now }))
  await app.given.users('ann', 'bob', 'stranger', 'left', 'kicked', 'banned', 'blocked')
  const members = { participants: ['bob', 'left', 'kicked', 'banned', 'blocked'] }
  await app.given.group('tea', { owner: 'ann', members })
  return app
}

const installs: readonly (readonly [string, TestApp])[] = [
  ['a folder', await start({})],
  ['S3', await start(s3.settings)],
]

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    // What is answered must not lead to the file.
    return JSON.stringify(await call).includes('/original?') ? 'shown' : 'not shown'
  } catch (error) {
    if (error instanceof ChoraleError) return error.code
    throw error
  }
}

async function upload(app: TestApp, uid: string) {
  const full = app.as('full')
  const body = { name: 'cat.png', size: 10, mimeType: 'image/png' }
  const { data } = await full.createUpload({ onBehalfOf: uid, body })
  if (!data.put) throw new Error('It is small.')
  const bytes = randomBytes(10)
  await bring(app, data.put, bytes)
  await full.completeUpload({ params: { uploadId: data.uploadId } })
  return { uploadId: data.uploadId, put: data.put, bytes }
}

const image = (uploadId: string) =>
  ({ type: 'image', data: { attachments: [{ uploadId }] } }) as const

describe.for(installs)('with %s', ([, app]) => {
  const full = app.as('full')

  test('who may not see the message gets no address of its file, nor the upload', async () => {
    const { uploadId } = await upload(app, 'ann')
    const inGroup = await app.given.message('ann', 'tea', {
      ...image(uploadId),
      receiverType: 'group',
    })
    const toBob = await app.given.message('ann', 'bob', { ...image(uploadId) })
    const guid = { guid: 'tea' }
    await full.leaveGroup({ params: guid, onBehalfOf: 'left' })
    await full.kickMember({ params: { ...guid, uid: 'kicked' } })
    await full.banUser({ params: { ...guid, uid: 'banned' } })
    await full.kickMember({ params: { ...guid, uid: 'blocked' } })
    await full.blockUsers({ params: { uid: 'ann' }, body: { blockedUids: ['blocked'] } })
    const another = await app.anotherApp()
    const callers = [
      ...(await Promise.all(
        ['stranger', 'left', 'kicked', 'banned', 'blocked'].map(
          async (uid) => [uid, (await app.device(uid)).calls] as const,
        ),
      )),
      ['another app', app.client(another, 'full')] as const,
    ]
    const seen: string[] = []
    for (const [who, calls] of callers) {
      const params = { uploadId }
      const ways = {
        message: () => calls.getMessage({ params: { id: inGroup.id } }),
        'message to bob': () => calls.getMessage({ params: { id: toBob.id } }),
        list: () => calls.listGroupMessages({ params: guid, query: { limit: 50 } }),
        all: () => calls.listMessages({ query: { limit: 50 } }),
        upload: () => calls.getUpload({ params }),
        complete: () => calls.completeUpload({ params }),
        cancel: () => calls.cancelUpload({ params }),
        send: () =>
          calls.sendMessage({
            body: { receiver: 'bob', receiverType: 'user', ...image(uploadId) },
          }),
        'send to ann': () =>
          calls.sendMessage({
            body: { receiver: 'ann', receiverType: 'user', ...image(uploadId) },
          }),
      }
      for (const [way, call] of Object.entries(ways)) {
        const got = await outcome(call())
        if (got === 'shown') seen.push(`${who} by ${way}`)
        const isRefused = got.startsWith('ERR_')
        if (!isRefused && way !== 'all') seen.push(`${who} by ${way}: ${got}`)
      }
    }
    expect(seen).toEqual([])
    const { calls: bob } = await app.device('bob')
    expect(await outcome(bob.getMessage({ params: { id: inGroup.id } }))).toBe('shown')
    expect(await outcome(bob.listGroupMessages({ params: guid }))).toBe('shown')
    expect(await outcome(bob.getUpload({ params: { uploadId } }))).toBe('ERR_UPLOAD_NOT_FOUND')
  })

  test('an address that was changed or is over leads nowhere', async () => {
    const { uploadId, put, bytes } = await upload(app, 'ann')
    const other = await upload(app, 'ann')
    const sent = await app.given.message('ann', 'bob', { ...image(uploadId) })
    const [{ url = '' } = {}] = sent.data.attachments ?? []
    const read = async () => Buffer.from(await (await app.fetchFile(url)).bytes())
    expect(await read()).toEqual(bytes)
    const { searchParams } = new URL(url)
    const changed = [
      url.split('?')[0] ?? '',
      url.replaceAll(uploadId, other.uploadId),
      url.replace(app.appId, 'other-app'),
      url.replace('/original', '/original-incoming'),
      url.replace('cat.png', 'cat.html'),
      url.replace('image%2Fpng', 'text%2Fhtml'),
      ...Array.from(searchParams.keys(), (name) => {
        const one = new URL(url)
        one.searchParams.delete(name)
        return one.href
      }),
      ...Array.from(searchParams, ([name, value]) => {
        const one = new URL(url)
        one.searchParams.set(
          name,
          value.replace(/.(?=.$)/, (at) => (at === '1' ? '2' : '1')),
        )
        return one.href
      }),
    ].filter((one) => one !== url)
    for (const one of changed) {
      const { status } = await app.fetchFile(one)
      expect([400, 403, 404, 501], one).toContain(status)
    }
    for (const method of ['PUT', 'DELETE', 'POST']) {
      const init = { method, ...(method !== 'DELETE' && { body: 'x' }) }
      expect((await app.fetchFile(url, init)).status, method).toBeGreaterThan(399)
    }
    // Where it was brought, nothing can be brought instead.
    await bring(app, put, randomBytes(10))
    expect(await read()).toEqual(bytes)
    if (new URL(url).hostname !== 'files.localhost') return
    now += 3601
    expect((await app.fetchFile(url)).status).toBe(403)
    now -= 3601
  })
})
