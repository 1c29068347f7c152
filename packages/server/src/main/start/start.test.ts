import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { openBrowser } from '../../../../testing/src/network/example-page.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import { compileCache } from '../../../../testing/src/processes/compile-cache.ts'
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
async function start(more: { PORT?: string; DOCS?: string } = { PORT: '0' }) {
  const child = spawn(process.execPath, [program, 'start', '--json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      DATABASE_URL: database.url,
      NATS_URL: inject('natsUrl'),
      NATS_PREFIX: natsPrefix(),
      ...more,
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
  // Where a project of `npm create chorale` finds them.
  const kept = join(folder, 'chorale-data/started.json')
  expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual(first.started)
  expect(statSync(kept).mode & 0o777).toBe(0o600)

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

  const { owner } = first.started
  expect(owner).toEqual({ email: 'owner@localhost', password: expect.stringMatching(/^.{20,}$/) })
  const site = new URL(first.started.console).origin
  const signIn = await send(site, {
    method: 'POST',
    path: '/console/sign-in',
    headers: { origin: site, 'x-chorale-console': '1' },
    body: JSON.stringify(owner),
  })
  expect(signIn.status, signIn.text).toBe(200)
  expect((await first.get('/console/apps', { accept: 'text/html' })).text).toContain('<script')

  first.child.kill('SIGINT')
  expect(await first.ended, first.steps()).toBe(0)

  const second = await start()
  expect(second.started).toMatchObject({ appId, apiKey, owner })
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
  const form = new FormData()
  for (const [name, value] of Object.entries({ receiver: 'concert', receiverType: 'group' })) {
    form.append(name, value)
  }
  form.append('file', new File(['la la la'], 'song.txt'))
  const song = await fetch(`${origin}/v3/messages`, {
    method: 'POST',
    headers: as('tom'),
    body: form,
  })
  const { data } = (await song.json()) as { data: { data: { url: string } } }
  expect(await (await fetch(data.data.url)).text()).toBe('la la la')
  second.child.kill('SIGINT')
  expect(await second.ended).toBe(0)
})

test('people of the demo see each other in two browsers; pages of strangers cannot log in', async () => {
  const { started, child, ended, get } = await start()
  const { origin, host, port } = new URL(started.apiUrl)
  expect((await get('/', { accept: 'text/html' })).text).toContain('href="/demo"')

  const login = (uid: string, headers: Record<string, string> = {}) =>
    send(origin, { method: 'POST', path: `/demo/login?uid=${uid}`, headers })
  const { appId, authToken } = JSON.parse((await login('tom', { origin })).text)
  const me = await get('/v3/me', { appId, authToken })
  expect(JSON.parse(me.text)).toMatchObject({ data: { uid: 'tom' } })
  expect((await login('nobody')).status).toBe(404)
  expect((await login('tom', { host: `127.0.0.1:${port}` })).status).toBe(200)
  for (const headers of [
    { origin: 'https://stranger.example' },
    { origin: 'null' },
    { origin: `http://localhost:${Number(port) + 1}` },
    // A name that a stranger has pointed at this machine.
    { origin: `http://stranger.example:${port}`, host: `stranger.example:${port}` },
  ]) {
    const { status, text } = await login('tom', headers)
    expect([status, text], JSON.stringify(headers)).toEqual([
      403,
      expect.not.stringContaining('Token'),
    ])
  }

  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const open = async (path: string) => {
    const page = await (await browser.newContext()).newPage()
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto(`http://${host}${path}`)
    return page
  }
  const ours = await open('/demo')
  await ours.getByRole('link', { name: 'Mara Lindqvist' }).click()
  await ours.getByRole('button', { name: /^Harbour concert/ }).click()
  const theirs = await open('/demo?left=ines&right=ben&group=concert')
  const text = ours.getByRole('textbox', { name: 'Write a message' })
  const say = async (words: string) => {
    await text.fill(words)
    await text.press('Enter')
    return (page: Page) => page.locator('.chorale-row', { hasText: words }).count()
  }
  const rows = await say('Can you hear me?')
  await expect.poll(() => rows(ours)).toBe(1)
  await expect.poll(() => rows(theirs)).toBe(2)
  const blocked = await say('I have free tickets for everybody')
  await expect.poll(() => ours.getByText('Only you can see this').count()).toBe(1)
  const after = await say('Never mind')
  await expect.poll(() => after(theirs)).toBe(2)
  expect(await blocked(theirs)).toBe(0)
  child.kill('SIGHUP')
  expect(await ended).toBe(0)
})

test('DOCS=off: no API reference is printed or answered, and the demo is; another port where 3000 is taken; the second start in a folder says which process runs', async () => {
  // `localhost` may be either address. Another program may have the port already.
  const other = createServer()
    .listen(3000, '::1')
    .on('error', () => undefined)
  stack.defer(() => void other.close())
  const first = await start({ DOCS: 'off' })
  expect(first.steps()).toMatch(/^Chorale +port 3000 is taken/m)
  expect(first.started).not.toHaveProperty('docs')
  expect((await first.get('/docs')).status).toBe(404)
  expect((await first.get('/demo')).status).toBe(200)
  const root = (await first.get('/', { accept: 'text/html' })).text
  expect([root.includes('"/demo"'), root.includes('"/docs"')]).toEqual([true, false])
  await expect(start()).rejects.toThrow(`process ${first.child.pid}`)
  first.child.kill('SIGINT')
  expect(await first.ended).toBe(0)
})
