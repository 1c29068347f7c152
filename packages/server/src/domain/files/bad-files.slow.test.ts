import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { type BadFile, badFiles, payload } from '../../../../testing/src/files/bad-files.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { zipOf } from '../../../../testing/src/files/raw-formats.ts'
import { eicar, startClamd } from '../../../../testing/src/providers/clamd.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const clamd = stack.use(await startClamd(3))
const settings = {
  NATS_PREFIX: natsPrefix(),
  FILES_CHECK: 'on',
  CLAMAV_SOCKET: clamd.socket,
}
const app = stack.use(await startTestApp({ shadow: false, live: { listeners, settings } }))
await app.given.users('ann', 'bob')
const full = app.as('full')
const wait = { timeout: 60_000, interval: 20 }

async function send({ name, declared, bytes }: Pick<BadFile, 'name' | 'declared' | 'bytes'>) {
  const body = { name, size: bytes.length, mimeType: declared }
  const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
  const { uploadId, put, parts } = data
  if (put) expect(await bring(app, put, bytes)).toBeLessThan(300)
  for (const { number, ...part } of parts?.put ?? []) {
    const from = (number - 1) * (parts?.size ?? 0)
    const some = bytes.subarray(from, from + (parts?.size ?? 0))
    expect(await bring(app, part, some)).toBeLessThan(300)
  }
  await full.completeUpload({ params: { uploadId } })
  const sent = await app.given.message('ann', 'bob', {
    type: 'file',
    data: { attachments: [{ uploadId }] },
  })
  return { uploadId, id: sent.id }
}

async function seenByBob(id: string) {
  const { data } = await full.getMessage({ params: { id }, onBehalfOf: 'bob' })
  const [one] = data.data.attachments ?? []
  return { one, text: JSON.stringify(data) }
}

async function settled(id: string) {
  await expect.poll(async () => (await seenByBob(id)).one?.state, wait).not.toBe('checking')
  return seenByBob(id)
}

async function stateOf(uploadId: string) {
  return (await full.getUpload({ params: { uploadId } })).data
}

const photo = await sharp({ create: { width: 90, height: 60, channels: 3, background: 'navy' } })
  .jpeg()
  .toBuffer()
const good = { name: 'cat.jpg', declared: 'image/jpeg', bytes: photo }

test.for((await badFiles()).map((file) => [file.title, file] as const))('%s', async ([, file]) => {
  const { id } = await send(file)
  const { one, text } = await settled(id)
  if (file.outcome === 'refused') {
    expect(one?.state).toBe('refused')
    expect(text).not.toContain('http')
    return
  }
  expect(one?.state).toBeUndefined()
  const answer = await app.fetchFile(one?.url ?? '')
  const bytes = Buffer.from(await answer.bytes())
  const disposition = answer.headers.get('content-disposition') ?? ''
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('x-evil')).toBeNull()
  expect(disposition).not.toMatch(/[/\\]|\.\.\./)
  if (file.outcome === 'saved') {
    expect(disposition).toMatch(/^attachment/)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    return
  }
  expect(answer.headers.get('content-type')).toBe(file.declared)
  for (const trace of [payload, 'Exif', 'GPS']) expect(bytes.includes(trace)).toBe(false)
})

const infected = [
  ['as text', 'eicar.txt', 'text/plain', eicar],
  ['as anything', 'eicar', 'application/octet-stream', eicar],
  ['in an archive', 'eicar.zip', 'application/zip', zipOf('eicar.com', eicar)],
  ['behind a picture', 'cat.jpg', 'image/jpeg', Buffer.concat([photo, eicar])],
] as const

test.for(infected)('a virus %s', async ([, name, declared, bytes]) => {
  const { id, uploadId } = await send({ name, declared, bytes })
  expect((await settled(id)).one?.state).toBe('refused')
  expect((await stateOf(uploadId)).why).toMatch(/^virus: Eicar-Test/)
})

test('bytes that are fewer or more than announced are not taken', async () => {
  const body = { name: 'cat.jpg', size: 100, mimeType: 'image/jpeg' }
  const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
  if (!data.put) throw new Error('It is not small.')
  expect(await bring(app, data.put, Buffer.alloc(99))).toBeGreaterThan(399)
  expect(await bring(app, data.put, Buffer.alloc(101))).toBeGreaterThan(399)
  const completing = full.completeUpload({ params: { uploadId: data.uploadId } })
  await expect(completing).rejects.toThrow()
  const none = full.createUpload({ onBehalfOf: 'ann', body: { ...body, size: 0 } })
  await expect(none).rejects.toThrow()
})

test('while the scanner is away files wait, and then are seen', async () => {
  await clamd.stop()
  const { id, uploadId } = await send(good)
  await sleep(3000)
  expect((await stateOf(uploadId)).state).toBe('checking')
  const { one } = await seenByBob(id)
  expect(one).toMatchObject({ state: 'checking' })
  expect(one?.url).toBeUndefined()
  await clamd.start()
  expect((await settled(id)).one?.state).toBeUndefined()
}, 120_000)

test('a file that is larger than the scanner takes waits', async () => {
  const bytes = Buffer.concat([photo, Buffer.alloc(4 * 1024 * 1024)])
  const { uploadId } = await send({ ...good, bytes })
  await sleep(3000)
  expect((await stateOf(uploadId)).state).toBe('checking')
})
