import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChoraleError } from '@chorale/sdk'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { withPosition } from '../../../../testing/src/files/bad-files.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { openFolder } from '../../storage/folder.ts'
import { openS3 } from '../../storage/s3.ts'
import { openSignedPaths } from '../../storage/signed-paths.ts'
import { prefixOf, type Storage } from '../../storage/storage.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const clock = () => Math.floor(Date.now() / 1000)
const wait = { timeout: 60_000, interval: 50 }
const s3 = stack.use(await startS3Server())

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const checked = { FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1', ...settings }
  const live = { listeners, settings: { NATS_PREFIX: natsPrefix(), ...checked } }
  const app = stack.use(await startTestApp({ shadow: false, live }))
  await app.given.users('ann', 'bob')
  return app
}

const { accessKeyId, secretAccessKey } = s3.keys
const bucket = stack.use(
  openS3(
    {
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      region: 'us-east-1',
      style: 'path',
      uploads: 'post',
      accessKeyId,
      secretAccessKey,
    },
    { clock },
  ),
)
const path = await mkdtemp(join(tmpdir(), 'checked-'))
stack.defer(() => rm(path, { recursive: true }))
const inFolder = await start({ FILES_FOLDER: path })
const paths = openSignedPaths({ keyOf: () => Buffer.from('key'), clock })
const folder = openFolder({ path, url: 'http://files.localhost', paths })
const installs: readonly (readonly [string, TestApp, Storage])[] = [
  ['a folder', inFolder, folder],
  ['S3', await start(s3.settings), bucket],
]

const photo = await withPosition(
  sharp({ create: { width: 1600, height: 900, channels: 3, background: '#6ea53b' } }),
)
  .jpeg()
  .toBuffer()
const page = Buffer.from('<html><script>alert(1)</script></html>')

interface Extensions {
  readonly '@injected'?: { readonly extensions?: Readonly<Record<string, Generated>> }
}
interface Generated {
  readonly url_small: string
  readonly attachments: readonly { readonly data: { readonly thumbnails: object } }[]
}

describe.for(installs)('with %s', ([, app, storage]) => {
  const full = app.as('full')

  async function upload(bytes: Buffer, name = 'cat.jpg') {
    const body = { name, size: bytes.length, mimeType: 'image/jpeg' }
    const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
    if (!data.put) throw new Error('It is not small.')
    expect(await bring(app, data.put, bytes)).toBeLessThan(300)
    const done = await full.completeUpload({ params: { uploadId: data.uploadId } })
    expect(done.data.state).toBe('checking')
    return { uploadId: data.uploadId, put: data.put }
  }
  const send = (uploadId: string) =>
    app.given.message('ann', 'bob', { type: 'image', data: { attachments: [{ uploadId }] } })
  const seen = async (id: string, onBehalfOf: string) => {
    const { data } = await full.getMessage({ params: { id }, onBehalfOf })
    const [one] = data.data.attachments ?? []
    if (!one) throw new Error('There is no attachment.')
    return { ...one, metadata: data.data.metadata as Extensions | undefined }
  }
  const settled = async (id: string) => {
    await expect.poll(async () => (await seen(id, 'bob')).state, wait).not.toBe('checking')
    return seen(id, 'bob')
  }
  const parts = async (uploadId: string) => {
    const objects = await Array.fromAsync(storage.list(prefixOf(app.appId, uploadId)))
    return objects.map(({ key }) => key.split('/').at(-1)).toSorted()
  }
  const shown = ['clean', 'large', 'medium', 'small']

  test('a picture is shown without what its camera wrote, and with thumbnails', async () => {
    const { uploadId, put } = await upload(photo)
    const { id } = await send(uploadId)
    const picture = await settled(id)
    expect(picture).toMatchObject({ mimeType: 'image/jpeg', width: 1600, height: 900 })
    const bytes = Buffer.from(await (await app.fetchFile(picture.url ?? '')).bytes())
    expect(picture.size).toBe(String(bytes.length))
    expect((await sharp(bytes).metadata()).exif).toBeUndefined()
    expect(Buffer.from(String(picture.thumbhash), 'base64').length).toBeGreaterThan(5)
    const generated = picture.metadata?.['@injected']?.extensions?.['thumbnail-generation']
    const { attachments = [], ...urls } = generated ?? {}
    expect(Object.keys(urls)).toEqual(['url_small', 'url_medium', 'url_large'])
    const { name, extension, mimeType, url } = picture
    const described = { name, extension, mimeType, url, thumbnails: urls }
    expect(attachments).toEqual([{ data: described, error: null }])
    for (const thumbnail of Object.values(urls)) {
      const answer = await app.fetchFile(String(thumbnail))
      expect(answer.headers.get('content-type')).toBe('image/webp')
      await answer.arrayBuffer()
    }
    await expect.poll(() => parts(uploadId), wait).toEqual(shown)
    // Its sender may bring other bytes to the same address for a day: nobody sees them.
    expect(await bring(app, put, Buffer.alloc(photo.length))).toBeLessThan(300)
    const again = Buffer.from(await (await app.fetchFile(picture.url ?? '')).bytes())
    expect(again.equals(bytes)).toBe(true)
    await full.deleteMessage({ params: { id }, body: { permanent: true } })
    await expect.poll(() => parts(uploadId), wait).toEqual([])
  })

  test('a page that is named as a picture is seen by nobody', async () => {
    const { uploadId } = await upload(page)
    const { id } = await send(uploadId)
    expect(await settled(id)).toMatchObject({ state: 'refused' })
    for (const uid of ['ann', 'bob']) expect((await seen(id, uid)).url).toBeUndefined()
    const { data } = await full.getUpload({ params: { uploadId } })
    expect(data).toMatchObject({ state: 'refused', why: 'pages and programs are not taken' })
    await expect.poll(() => parts(uploadId), wait).toEqual([])
    const again = send(uploadId).then(
      () => 'ok',
      (error) => (error instanceof ChoraleError ? error.code : error),
    )
    expect(await again).toBe('ERR_UPLOAD_NOT_READY')
  })

  test('one that was checked before the message has all of it at once', async () => {
    const { uploadId } = await upload(photo)
    const state = async () => (await full.getUpload({ params: { uploadId } })).data.state
    await expect.poll(state, wait).toBe('ready')
    const { id } = await send(uploadId)
    expect(await seen(id, 'bob')).toMatchObject({ width: 1600, mimeType: 'image/jpeg' })
  })
})
