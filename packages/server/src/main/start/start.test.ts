import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import type { Started } from './start.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const program = fileURLToPath(new URL('../../../bin/chorale.js', import.meta.url))
const database = stack.use(await cloneDatabase())
const folder = mkdtempSync(join(tmpdir(), 'chorale-start-'))
stack.defer(() => rmSync(folder, { recursive: true, force: true }))

/** `chorale start` in the folder, once it serves. */
async function start() {
  const child = spawn(process.execPath, [program, 'start', '--json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      NATS_URL: inject('natsUrl'),
      NATS_PREFIX: natsPrefix(),
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  stack.defer(() => void child.kill('SIGKILL'))
  const steps: string[] = []
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => steps.push(chunk))
  const ended = once(child, 'close').then(([code]) => code)
  const failed = ended.then((code) => Promise.reject(new Error(`${code}: ${steps.join('')}`)))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  failed.catch(() => undefined)
  const started: Started = JSON.parse(line)
  const get = async (path: string, headers: Record<string, string> = {}) =>
    send(new URL(started.apiUrl).origin, { path, headers })
  return { started, get, child, ended, steps: () => steps.join('') }
}

test('start fills a demo app with a week of talk and serves; another start goes on with it', async () => {
  const first = await start()
  const { appId, apiKey } = first.started
  expect(first.steps()).toMatch(/^Demo +8 people, 4 groups, 3\d\d messages/m)
  expect(statSync(join(folder, 'chorale-data')).mode & 0o777).toBe(0o700)

  const as = (uid: string) => ({ appId, apikey: apiKey, onBehalfOf: uid })
  const page = JSON.parse(
    (await first.get('/v3/groups/concert/messages?limit=100', as('tom'))).text,
  )
  const messages: { sentAt: number; editedAt?: number; deletedAt?: number }[] = page.data
  const times = messages.map(({ sentAt }) => sentAt)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  const now = Date.now() / 1000
  expect(Math.min(...times)).toBeLessThan(now - 5 * 86_400)
  expect(Math.max(...times)).toBeLessThanOrEqual(now)
  expect(messages.some(({ editedAt }) => editedAt)).toBe(true)
  expect(messages.some(({ deletedAt }) => deletedAt)).toBe(true)

  first.child.kill('SIGINT')
  expect(await first.ended, first.steps()).toBe(0)

  const second = await start()
  expect(second.started).toMatchObject({ appId, apiKey })
  expect(second.steps()).not.toMatch(/^Demo/m)
  const body = JSON.stringify({
    receiver: 'concert',
    receiverType: 'group',
    data: { text: 'Here I am again.' },
  })
  const { origin } = new URL(second.started.apiUrl)
  const sent = await send(origin, {
    method: 'POST',
    path: '/v3/messages',
    headers: as('tom'),
    body,
  })
  expect(sent.status).toBe(200)
  second.child.kill('SIGINT')
  expect(await second.ended).toBe(0)
})

test('two starts in one folder: the second says which process runs', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow(`process ${first.child.pid}`)
  first.child.kill('SIGINT')
  expect(await first.ended).toBe(0)
})
