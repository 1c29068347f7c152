import { randomFillSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { badFiles, payload, withPosition } from '../../../testing/src/files/bad-files.ts'
import { type InspectorOptions, openInspectors } from './inspectors.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = await mkdtemp(join(tmpdir(), 'inspected-'))
stack.defer(() => rm(folder, { recursive: true }))
const limits = { processes: 1, memoryMb: 256, seconds: 30, fileBytes: 2 ** 30 }
const usual = open({})

function open(options: Partial<InspectorOptions>) {
  return stack.use(openInspectors({ ...limits, ...options }))
}

interface File {
  readonly name: string
  readonly declared: string
  readonly bytes: Buffer
}

async function look(file: File, inspectors = usual, maxPixels = 50_000_000) {
  const path = join(folder, 'held')
  await writeFile(path, file.bytes)
  const { name, declared } = file
  return inspectors.look({ path, folder, name, declared, maxPixels })
}

const jpeg = async (width: number, height: number): Promise<File> => ({
  name: 'cat.jpg',
  declared: 'image/jpeg',
  bytes: await sharp({ create: { width, height, channels: 3, background: '#a53b6e' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer(),
})

const bad = await badFiles()

test('there are many bad files', () => {
  expect(bad.length).toBeGreaterThanOrEqual(60)
  expect(new Set(bad.map(({ title }) => title)).size).toBe(bad.length)
})

test.for(bad.map((file) => [file.title, file] as const))('%s', async ([, file]) => {
  const answer = await look(file)
  if (file.outcome === 'refused') {
    expect(answer).toMatchObject({ is: 'refused' })
  } else {
    if (answer.is !== 'passed') throw new Error(JSON.stringify(answer))
    const clean = answer.made.find(({ part }) => part === 'clean')
    expect(clean === undefined).toBe(file.outcome === 'saved')
    for (const { path } of answer.made) {
      const written = await readFile(path)
      for (const trace of [payload, 'Exif', 'GPS', 'Camera', 'PK\x03\x04']) {
        expect(written.includes(trace)).toBe(false)
      }
    }
  }
  expect(await look(await jpeg(8, 8))).toMatchObject({ is: 'passed' })
})

test('a picture is turned as its camera was held, and has thumbnails of three sizes', async () => {
  const answer = await look(await jpeg(3000, 1500))
  if (answer.is !== 'passed') throw new Error(JSON.stringify(answer))
  expect(answer.picture).toMatchObject({ width: 1500, height: 3000 })
  expect(Buffer.from(answer.picture?.thumbhash ?? '', 'base64').length).toBeGreaterThan(10)
  const sizes = await Promise.all(
    answer.made.map(async ({ part, path }) => {
      const { width, height, format, exif } = await sharp(path).metadata()
      return [part, width, height, format, exif]
    }),
  )
  expect(sizes).toEqual([
    ['clean', 1500, 3000, 'jpeg', undefined],
    ['large', 540, 1080, 'webp', undefined],
    ['medium', 240, 480, 'webp', undefined],
    ['small', 80, 160, 'webp', undefined],
  ])
})

test('the position is there before, so that a test can miss it', async () => {
  const from = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  const bytes = await withPosition(from).jpeg().toBuffer()
  const { exif } = await sharp(bytes).metadata()
  expect(exif?.includes(payload)).toBe(true)
})

/** In megabytes. */
function maxMemoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

test('who needs more memory than there is does not get it, and nobody else suffers', async () => {
  const small = open({ memoryMb: 128 })
  const large = await jpeg(8000, 8000)
  const answer = await look(large, small, 2 ** 30)
  expect(answer.is).not.toBe('passed')
  const [pid] = small.pids
  if (pid !== undefined) expect(maxMemoryOf(pid)).toBeLessThan(128 + 150)
  expect(await look(await jpeg(800, 600), small)).toMatchObject({ is: 'passed' })
  // With enough of it the same picture is one.
  expect(await look(large, open({ memoryMb: 1500 }), 2 ** 30)).toMatchObject({ is: 'passed' })
}, 120_000)

test('who takes too long is ended, and another process goes on', async () => {
  const raw = { width: 5000, height: 5000, channels: 3 } as const
  const noise = randomFillSync(Buffer.alloc(raw.width * raw.height * raw.channels))
  const bytes = await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer()
  const hasty = open({ seconds: 2, memoryMb: 512 })
  const answer = look({ name: 'noise.png', declared: 'image/png', bytes }, hasty)
  await expect.poll(() => hasty.pids.length).toBe(1)
  const [pid = 0] = hasty.pids
  expect(await answer).toEqual({ is: 'broken', why: 'it took longer than 2 seconds' })
  await expect.poll(() => isRunning(pid)).toBe(false)
  // On a busy machine the start of a process alone may take as long.
  const small = await jpeg(80, 60)
  const again = { timeout: 50_000 }
  await expect.poll(() => look(small, hasty), again).toMatchObject({ is: 'passed' })
}, 60_000)

test('a process that ends takes only its own file with it', async () => {
  const two = open({ processes: 2 })
  const first = look(await jpeg(7000, 5000), two)
  await expect.poll(() => two.pids.length).toBe(1)
  const [pid = 0] = two.pids
  process.kill(pid, 'SIGKILL')
  expect(await first).toEqual({ is: 'broken', why: 'it ended with SIGKILL' })
  expect(await look(await jpeg(80, 60), two)).toMatchObject({ is: 'passed' })
})

function isRunning(pid: number): boolean {
  try {
    // What has ended and was not yet waited for is there too.
    return !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
