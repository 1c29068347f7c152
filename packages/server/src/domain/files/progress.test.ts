import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { photoOf } from '../../../../testing/src/files/photo.ts'
import { connectDevice } from '../../../../testing/src/service/device.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const wait = { timeout: 60_000, interval: 50 }

/** Speaks as ClamAV does, and finds nothing. */
const scanner = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    if (bytes.subarray(-4).equals(Buffer.alloc(4))) socket.end('stream: OK\0')
  })
})
const CLAMAV_SOCKET = join(tmpdir(), `scanner-${process.pid}.ctl`)
await new Promise<void>((resolve) => scanner.listen(CLAMAV_SOCKET, resolve))
stack.defer(() => void scanner.close())

const settings = { NATS_PREFIX: natsPrefix(), FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
const live = { listeners, gateway: true, settings: { ...settings, CLAMAV_SOCKET } }
const app = stack.use(await startTestApp({ shadow: false, live }))
const full = app.as('full')
await app.given.users('ann', 'bob')
const { origin, appId } = app
const deviceOf = async (uid: string) => {
  const { authToken } = await app.device(uid)
  return stack.use(await connectDevice({ origin, appId, authToken }))
}

async function upload(bytes: Buffer, onBehalfOf?: string): Promise<string> {
  const body = { name: 'cat.jpg', size: bytes.length, mimeType: 'image/jpeg' }
  const { data } = await full.createUpload({ ...(onBehalfOf && { onBehalfOf }), body })
  if (data.put) await bring(app, data.put, bytes)
  await full.completeUpload({ params: { uploadId: data.uploadId } })
  return data.uploadId
}

test('the devices of who has brought a file hear how far its check is, and nobody else does', async () => {
  const [one, other] = [await deviceOf('ann'), await deviceOf('ann')]
  const ofBob = await deviceOf('bob')
  const refused = await upload(Buffer.from('<html></html>'), 'ann')
  const heard = (uploadId: string) =>
    one
      .of('upload')
      .filter((frame) => frame.uploadId === uploadId)
      .map(({ state, step, why }) => [state, step, why].filter(Boolean))
  await expect.poll(() => heard(refused).at(-1)?.[0], wait).toBe('refused')
  expect(heard(refused)).toEqual([
    ['checking', 'received'],
    ['checking', 'type'],
    ['refused', 'pages and programs are not taken'],
  ])
  const ready = await upload(await photoOf(800, 600), 'ann')
  await expect.poll(() => heard(ready).at(-1)?.[0], wait).toBe('ready')
  expect(heard(ready)).toEqual([
    ['checking', 'received'],
    ['checking', 'type'],
    ['checking', 'thumbnails'],
    ['checking', 'scan'],
    ['ready'],
  ])
  await expect.poll(() => other.of('upload'), wait).toEqual(one.of('upload'))
  const ofApp = await upload(await photoOf(80, 60))
  const state = async () => (await full.getUpload({ params: { uploadId: ofApp } })).data.state
  await expect.poll(state, wait).toBe('ready')
  expect(heard(ofApp)).toEqual([])
  expect(ofBob.of('upload')).toEqual([])
})
