import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type FastifyInstance, fastify } from 'fastify'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { httpFailureOf } from '../http/fastify-refusals.ts'
import { addFiles } from '../http/files.ts'
import { type FolderStorage, openFolder } from './folder.ts'
import { openS3 } from './s3.ts'
import { openSignedPaths } from './signed-paths.ts'
import { type Instruction, keyOf, prefixOf, type Storage } from './storage.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
let now = Math.floor(Date.now() / 1000)
const clock = () => now
const mebibyte = 1024 * 1024

const s3 = stack.use(await startS3Server())
const bucket = {
  ...s3.keys,
  endpoint: s3.endpoint,
  bucket: s3.bucket,
  region: 'eu-central-1',
  style: 'path',
} as const
const byForm = stack.use(openS3({ ...bucket, uploads: 'post' }, { clock, partSize: mebibyte }))
const byPut = stack.use(
  openS3({ ...bucket, uploads: 'put', prefix: 'chat/' }, { clock, partSize: mebibyte }),
)

const path = await mkdtemp(join(tmpdir(), 'files-'))
stack.defer(() => rm(path, { recursive: true }))
const { server, folder } = await serveFolder()

async function serveFolder(): Promise<{ server: FastifyInstance; folder: FolderStorage }> {
  const paths = openSignedPaths({ keyOf: (day) => Buffer.from(`${day}`), clock })
  const server = fastify()
  const log = pino({ level: 'silent' })
  server.setErrorHandler((error, request, reply) => {
    const failure = httpFailureOf(error, request.id, log)
    return reply.code(failure.status).send(failure.body())
  })
  const holder: { folder?: FolderStorage } = {}
  // Its address is known only once it listens.
  const behind: FolderStorage = new Proxy({} as FolderStorage, {
    get: (_, name) => {
      const value = Reflect.get(holder.folder ?? {}, name)
      return typeof value === 'function' ? value.bind(holder.folder) : value
    },
  })
  addFiles(server, behind)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  stack.defer(() => server.close())
  holder.folder = openFolder({ path, url, paths, partSize: mebibyte })
  return { server, folder: holder.folder }
}

let made = 0
function newFile() {
  const fileId = `0199c0de-7000-7000-8000-${String(++made).padStart(12, '0')}`
  return { fileId, key: keyOf('app', fileId) }
}

function bring({ method, url, fields, headers }: Instruction, bytes: Buffer, type = 'image/png') {
  const blob = new Blob([Uint8Array.from(bytes)], { type })
  if (method === 'PUT') return fetch(url, { method, headers: { ...headers }, body: blob })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, value)
  form.append('file', blob, 'x')
  return fetch(url, { method, body: form })
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const shown = () => ({ name: 'a cat.png', type: 'image/png', signedAt: now, expiresAt: now + 60 })

const stores: readonly (readonly [string, Storage])[] = [
  ['a folder', folder],
  ['S3, by forms', byForm],
  ['S3, by PUT, with a prefix', byPut],
]

describe.for(stores)('%s', ([, storage]) => {
  test('what is brought is what is read, to the byte, and in ranges', async () => {
    const { key } = newFile()
    const bytes = randomBytes(300_000)
    const target = { key, size: bytes.length, type: 'image/png', expiresAt: now + 60 }
    const put = storage.put(target)
    expect((await bring(put, bytes)).status).toBeLessThan(300)
    await storage.accept(target)
    expect(await storage.find(key)).toMatchObject({ key, size: bytes.length })
    // The address is still good, and the object is as it was.
    expect((await bring(put, randomBytes(bytes.length))).status).toBeLessThan(300)
    const answer = await fetch(storage.address(key, shown()))
    expect(answer.status).toBe(200)
    expect(digest(await answer.bytes())).toBe(digest(bytes))
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-disposition')).toBe('inline; filename="a cat.png"')
    const part = await fetch(storage.address(key, shown()), { headers: { range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.bytes())).toEqual(bytes.subarray(10, 20))
    const read = await buffer(await storage.read(key, { first: 5, last: 9 }))
    expect(read).toEqual(bytes.subarray(5, 10))
  })

  test('bytes of another length or type, and without a signature, are refused', async () => {
    const { key } = newFile()
    const target = { key, size: 1000, type: 'image/png', expiresAt: now + 60 }
    for (const size of [0, 999, 1001, 100_000]) {
      const { status } = await bring(storage.put(target), randomBytes(size))
      expect(status, `${size} bytes`).toBeGreaterThanOrEqual(400)
    }
    const instruction = storage.put(target)
    const typed = {
      ...instruction,
      headers: { ...instruction.headers, 'content-type': 'text/html' },
      fields: { ...instruction.fields, 'Content-Type': 'text/html' },
    }
    const wrong = await bring(typed, randomBytes(1000), 'text/html')
    expect(wrong.status).toBeGreaterThanOrEqual(400)
    const unsigned = { ...instruction, url: instruction.url.split('?')[0] ?? '', fields: { key } }
    expect((await bring(unsigned, randomBytes(1000))).status).toBe(403)
    expect(await storage.find(key)).toBeUndefined()
  })

  test('an address is refused once its time is over, or a letter of it was changed', async () => {
    const { key } = newFile()
    const bytes = randomBytes(10)
    await storage.write({ key, size: 10, type: 'image/png' }, Readable.from([bytes]))
    const address = storage.address(key, shown())
    expect((await fetch(address)).status).toBe(200)
    const past = storage.address(key, { ...shown(), signedAt: now - 100, expiresAt: now - 1 })
    const other = newFile().key
    const changed = [
      past,
      address.replace(key, other),
      address.replace('image%2Fpng', 'text%2Fhtml'),
      address.replace('cat', 'dog'),
      address.slice(0, -3) + (address.endsWith('aaa') ? 'bbb' : 'aaa'),
      address.split('?')[0] ?? '',
    ]
    for (const one of changed) expect((await fetch(one)).status, one).toBe(403)
    expect((await fetch(address, { method: 'PUT', body: 'x' })).status).toBe(403)
  })

  test('a large file comes in parts, goes on after a cut, and is one object afterwards', async () => {
    const { key, fileId } = newFile()
    const bytes = randomBytes(2 * mebibyte + 5000)
    const target = { key, size: bytes.length, type: 'image/png', expiresAt: now + 60 }
    const partsId = await storage.startParts(target)
    const part = (number: number) => {
      const own = bytes.subarray((number - 1) * mebibyte, number * mebibyte)
      const instruction = storage.putPart({ ...target, partsId, number, partSize: own.length })
      return { own, instruction }
    }
    const third = part(3)
    expect((await bring(third.instruction, third.own)).status).toBeLessThan(300)
    const first = part(1)
    expect((await bring(first.instruction, first.own.subarray(1))).status).toBeGreaterThan(399)
    expect((await bring(first.instruction, randomBytes(mebibyte))).status).toBeLessThan(300)
    expect((await bring(first.instruction, first.own)).status).toBeLessThan(300)
    expect(await storage.partsOf(key, partsId)).toEqual([1, 3])
    const second = part(2)
    expect((await bring(second.instruction, second.own)).status).toBeLessThan(300)
    await storage.endParts(target, partsId)
    expect(digest(await buffer(await storage.read(key)))).toBe(digest(bytes))
    const left: string[] = []
    for await (const object of storage.list(prefixOf('app', fileId))) left.push(object.key)
    expect(left).toEqual([key])
  })

  test('what is removed is gone, and so is an upload that is dropped', async () => {
    const { key, fileId } = newFile()
    await storage.write({ key, size: 3, type: 'image/png' }, Readable.from([Buffer.from('abc')]))
    const address = storage.address(key, shown())
    await storage.remove(key)
    await storage.remove(key)
    expect((await fetch(address)).status).toBe(404)
    expect(await storage.find(key)).toBeUndefined()
    const target = { key, size: mebibyte + 1, type: 'image/png', expiresAt: now + 60 }
    const partsId = await storage.startParts(target)
    const part = storage.putPart({ ...target, partsId, number: 2, partSize: 1 })
    expect((await bring(part, Buffer.from('x'))).status).toBeLessThan(300)
    await storage.dropParts(key, partsId)
    await storage.dropParts(key, partsId)
    expect(await storage.partsOf(key, partsId)).toEqual([])
    const left: string[] = []
    for await (const object of storage.list(prefixOf('app', fileId))) left.push(object.key)
    expect(left).toEqual([])
  })
})

test('the folder keeps nothing of an upload that was cut off, nor empty folders', async () => {
  const { key } = newFile()
  const target = { key, size: 1_000_000, type: 'image/png', expiresAt: now + 60 }
  const { url } = folder.put(target)
  const cut = new AbortController()
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(randomBytes(100_000))
      setTimeout(() => cut.abort(), 100)
    },
  })
  const init = { method: 'PUT', body, duplex: 'half', signal: cut.signal } as const
  await expect(fetch(url, { ...init, headers: { 'content-type': 'image/png' } })).rejects.toThrow()
  const files = async () =>
    (await readdir(path, { recursive: true })).filter((f) => f.includes(key.slice(4)))
  await expect.poll(files).toEqual([])
})

test('a file that the folder hands out runs nothing', async () => {
  const { key } = newFile()
  await folder.write({ key, size: 3, type: 'text/html' }, Readable.from([Buffer.from('<p>')]))
  const address = folder.address(key, { ...shown(), name: 'Käse.html', type: 'text/html' })
  const { headers } = await fetch(address)
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="K_se.html"; filename*=UTF-8''K%C3%A4se.html`,
  )
  expect(headers.get('cache-control')).toBe('private, max-age=60, immutable')
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  const { status } = await fetch(address, { headers: { range: 'bytes=3-' } })
  expect(status).toBe(416)
  now += 61
  expect((await fetch(address)).status).toBe(403)
  now -= 61
  expect(server.server.listening).toBe(true)
})
