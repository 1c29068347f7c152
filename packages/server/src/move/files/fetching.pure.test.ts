import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  announced,
  cutOnce,
  inChunks,
  limitedOnce,
  redirect,
  startFileServer,
} from '../../../../testing/src/move/file-server.ts'
import { FileFetcher } from './fetching.ts'
import { FileHosts } from './links.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const files = stack.use(await startFileServer())
const folder = mkdtempSync(join(tmpdir(), 'fetching-'))
stack.defer(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'file')
const bytes = Buffer.alloc(100_000, 'abc')

function fetcher(perSecond = 1000, silenceMs = 5000): FileFetcher {
  const patience = { silenceMs, pauseMs: 10 }
  return new FileFetcher(new FileHosts([files.host]), perSecond, patience)
}

const anything = async () => undefined

test.for([
  ['cut', cutOnce(bytes), 2],
  ['chunks', inChunks(bytes), 1],
  ['limited', limitedOnce(bytes), 2],
] as const)('a file comes whole: %s', async ([name, serving, calls]) => {
  const url = files.add(name, serving)
  const fetched = await fetcher().get(url, path, anything)
  expect(fetched).toMatchObject({ is: 'whole', size: bytes.length })
  expect(readFileSync(path).equals(bytes)).toBe(true)
  expect(files.asked.get(name)).toBe(calls)
})

test('calls keep their distance, and all wait where one was too many', async () => {
  const urls = Array.from({ length: 8 }, (_, nth) => files.add(`slow ${nth}`, Buffer.from('x')))
  const slow = fetcher(20)
  const started = Date.now()
  await Promise.all(urls.map((url, nth) => slow.get(url, `${path}-${nth}`, anything)))
  expect(Date.now() - started).toBeGreaterThanOrEqual(7 * 45)
  const limited = files.add('limited again', limitedOnce(bytes))
  const began = Date.now()
  const first = slow.get(limited, path, anything)
  await new Promise((resolve) => setTimeout(resolve, 150))
  await slow.get(urls[0] ?? '', `${path}-0`, anything)
  expect(Date.now() - began).toBeGreaterThanOrEqual(950)
  await first
})

test('what is not wanted is not read; what is silent is given up', async () => {
  const url = files.add('large', announced(1_000_000_000))
  rmSync(path, { force: true })
  const refused = await fetcher().get(url, path, async ({ size }) => `has ${size} bytes`)
  expect(refused).toEqual({ is: 'left', why: 'has 1000000000 bytes' })
  expect(existsSync(path)).toBe(false)
  const silent = await fetcher(1000, 50).get(url, path, anything)
  expect(silent).toEqual({ is: 'left', why: expect.stringContaining('No byte') })
  expect(files.asked.get('large')).toBe(7)
})

test('redirections go to named hosts, and end', async () => {
  const end = files.add('end', bytes)
  const twice = files.add('twice', redirect(files.add('once', redirect('/end'))))
  expect(await fetcher().get(twice, path, anything)).toMatchObject({ is: 'whole' })
  const away = files.add('away', redirect(end.replace('127.0.0.1', 'localhost')))
  const calls = files.asked.get('end')
  expect(await fetcher().get(away, path, anything)).toMatchObject({
    why: expect.stringMatching(/^leads to localhost:\d+, which is not named$/),
  })
  expect(files.asked.get('end')).toBe(calls)
  const round = files.add('round', redirect('/round'))
  expect(await fetcher().get(round, path, anything)).toMatchObject({ why: 'redirects too often' })
})

test('a failure of the caller is not one of the network', async () => {
  const failing = fetcher().get(files.add('x', bytes), join(folder, 'none', 'file'), anything)
  await expect(failing).rejects.toThrow('ENOENT')
})
