import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChoraleError,
  connect,
  deviceClient,
  fileUploads,
  type SessionStorage,
  type UploadProgress,
  upload,
} from '@chorale/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { startTcpProxy } from '../../../../testing/src/network/tcp-proxy.ts'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import {
  type RealtimeFixture,
  startRealtimeFixture,
} from '../../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const folder = await mkdtemp(join(tmpdir(), 'sdk-upload-'))
stack.defer(() => rm(folder, { recursive: true }))
const mebibyte = 1024 * 1024

async function start(settings: Readonly<Record<string, string>>): Promise<RealtimeFixture> {
  const fixture = stack.use(await startRealtimeFixture(settings))
  await fixture.app.given.users('ann', 'bob')
  return fixture
}

const installs: readonly (readonly [string, RealtimeFixture])[] = [
  ['a folder', await start({})],
  ['S3', await start(s3.settings)],
]

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const backoff = { baseMs: 20, maxMs: 100 }

async function device({ app, tokenOf }: RealtimeFixture) {
  const { appId, origin } = app
  return deviceClient({ baseUrl: `${origin}/v3`, appId, authToken: await tokenOf('ann') })
}

/** Of the file that an upload has become. */
async function digestOf({ app, full }: RealtimeFixture, uploadId: string): Promise<string> {
  const { data } = await full.sendMessage({
    onBehalfOf: 'ann',
    body: {
      receiver: 'bob',
      receiverType: 'user',
      type: 'file',
      data: { attachments: [{ uploadId }] },
    },
  })
  const url = 'id' in data ? data.data.attachments?.[0]?.url : ''
  return digest(await (await app.fetchFile(url ?? '')).bytes())
}

describe.for(installs)('with %s', ([, fixture]) => {
  const { app } = fixture
  const fetchFile: typeof fetch = (url, init) => app.fetchFile(String(url), init)

  test.for([5000, 9 * mebibyte + 17])(
    'a path, a blob and a stream of %i bytes come whole, with progress',
    async (size) => {
      const calls = await device(fixture)
      const bytes = randomBytes(size)
      const path = join(folder, 'film.mp4')
      await writeFile(path, bytes)
      await using file = await open(path)
      const stream = { stream: file.createReadStream(), size }
      for (const source of [path, new File([bytes], 'film.mp4'), stream]) {
        const told: UploadProgress[] = []
        const under = upload(calls, source, {
          mimeType: 'video/mp4',
          fetch: fetchFile,
          onProgress: (progress) => told.push(progress),
        })
        const done = await under.done
        const name = source === stream ? 'file' : 'film.mp4'
        expect(done).toMatchObject({ name, mimeType: 'video/mp4', size, state: 'ready' })
        expect(under.state).toBe('done')
        expect(told.at(-1)).toEqual({ sent: size, size })
        expect(told.map(({ sent }) => sent)).toEqual(told.map(({ sent }) => sent).toSorted(byValue))
        expect(await digestOf(fixture, done.uploadId)).toBe(digest(bytes))
      }
    },
  )

  test('a pause sends nothing; resumed, only what is missing is sent', async () => {
    const calls = await device(fixture)
    const bytes = randomBytes(18 * mebibyte)
    let sent = 0
    const counting: typeof fetch = async (url, init) => {
      await sleep(30)
      const answer = await fetchFile(url, init)
      if (answer.ok && init?.body instanceof Blob) sent += init.body.size
      return answer
    }
    const under = upload(calls, new Blob([bytes]), { fetch: counting, partsAtOnce: 1 })
    await expect.poll(() => sent, { interval: 1 }).toBeGreaterThan(0)
    under.pause()
    await sleep(200)
    const { progress } = under
    await sleep(300)
    expect(under.progress).toEqual(progress)
    expect(under.state).toBe('paused')
    under.resume()
    const { uploadId } = await under.done
    // The part that was cut comes again.
    expect(sent).toBeLessThanOrEqual(bytes.length)
    expect(await digestOf(fixture, uploadId)).toBe(digest(bytes))
  })

  test('cancelled, nothing of it is left; a later session goes on with an upload', async () => {
    const calls = await device(fixture)
    const bytes = new Blob([randomBytes(12 * mebibyte)])
    const under = upload(calls, bytes, { fetch: fetchFile, partsAtOnce: 1 })
    await expect.poll(() => under.uploadId).toBeDefined()
    await under.cancel()
    await expect(under.done).rejects.toMatchObject({ code: 'cancelled' })
    expect(under.state).toBe('cancelled')
    const params = { uploadId: under.uploadId ?? '' }
    await expect(calls.getUpload({ params })).rejects.toMatchObject({
      code: 'ERR_UPLOAD_NOT_FOUND',
    })
    const left = upload(calls, bytes, { fetch: fetchFile, partsAtOnce: 1 })
    await expect.poll(() => left.progress.sent, { interval: 1 }).toBeGreaterThan(0)
    left.pause()
    const { uploadId } = left
    const again = upload(calls, bytes, { fetch: fetchFile, ...(uploadId && { uploadId }) })
    expect((await again.done).uploadId).toBe(uploadId)
  })

  test('what fails is tried again; what is refused is not', async () => {
    const calls = await device(fixture)
    let failures = 0
    const failing: typeof fetch = (url, init) =>
      ++failures % 3 === 0 ? fetchFile(url, init) : Promise.reject(new TypeError('network'))
    const bytes = randomBytes(9 * mebibyte)
    const under = upload(calls, new Blob([bytes]), { fetch: failing, backoff, retries: 50 })
    expect(await digestOf(fixture, (await under.done).uploadId)).toBe(digest(bytes))
    const none = upload(calls, new Blob([bytes]), {
      fetch: () => Promise.reject(new TypeError('network')),
      backoff,
      retries: 2,
    })
    await expect(none.done).rejects.toThrow('network')
    expect(none.state).toBe('failed')
    const large = upload(calls, { stream: (async function* () {})(), size: 2e9 })
    await expect(large.done).rejects.toBeInstanceOf(ChoraleError)
  })

  test('a message with files that was written offline goes out later, also in a later session', async () => {
    const network = stack.use(await startTcpProxy(app.origin))
    const [one, two] = [randomBytes(3000), randomBytes(9 * mebibyte)]
    const files = [
      new File([one], 'one.png', { type: 'image/png' }),
      new File([two], 'two.png', { type: 'image/png' }),
    ]
    const kept = new Map<string, unknown>()
    const storage: SessionStorage = {
      entries: async () => [...kept],
      set: async (key, value) => void kept.set(key, value),
      delete: async (key) => void kept.delete(key),
    }
    const authToken = await fixture.tokenOf('ann')
    const open = () =>
      connect({
        url: new URL('/v3/realtime', network.url.replace('http', 'ws')).href,
        appId: app.appId,
        authToken,
        backoff,
        storage,
        files: fileUploads({ fetch: fetchFile }),
        onError: () => undefined,
      })
    const target = { receiver: 'bob', receiverType: 'user', type: 'image' } as const
    const first = open()
    await first.user
    await network.close()
    await expect.poll(() => first.connection.state).not.toBe('online')
    const { stored, clientId } = first.send({ ...target, data: { text: 'later' }, files })
    await sleep(300)
    await network.open()
    const message = await stored
    expect(message.muid).toBe(clientId)
    const urls = message.data.attachments?.map(({ url }) => url ?? '') ?? []
    const got = await Promise.all(urls.map(async (url) => (await app.fetchFile(url)).bytes()))
    expect(got.map(digest)).toEqual([one, two].map(digest))
    await network.close()
    const unsent = first.send({ ...target, data: { text: 'much later' }, files })
    first.close()
    await expect(unsent.stored).rejects.toMatchObject({ code: 'closed' })
    await network.open()
    const second = open()
    stack.defer(() => second.close())
    const sent = Promise.withResolvers<string | undefined>()
    second.on('outgoing', ({ state, message: shown }) => {
      if (state === 'sent') sent.resolve(shown?.data.attachments?.[1]?.url)
    })
    const last = await app.fetchFile((await sent.promise) ?? '')
    expect(digest(await last.bytes())).toBe(digest(two))
  })
})

function byValue(a: number, b: number): number {
  return a - b
}
