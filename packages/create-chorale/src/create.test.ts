import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../server/src/main/start/free-port.ts'
import { openBrowser } from '../../testing/src/network/example-page.ts'
import { send } from '../../testing/src/network/wire.ts'
import { startRealtimeFixture } from '../../testing/src/service/realtime-fixture.ts'

// Made in a folder of the repository, where the packages of a project are found without being installed.
// tools/docs/quick-start.slow.test.ts installs them.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = join(root, 'packages/create-chorale/bin/create-chorale.js')
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app } = fixture
mkdirSync(join(root, 'build'), { recursive: true })
const folder = mkdtempSync(join(root, 'build/create-'))
stack.defer(() => rmSync(folder, { recursive: true }))

const create = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' })

type Server = ChildProcessByStdio<null, Readable, Readable>

/** `npm start` in a project. */
function start(project: string, env: Readonly<Record<string, string>> = {}): Server {
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: join(folder, project),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  stack.defer(() => void child.kill())
  return child
}

async function refusalOf(child: Server): Promise<string> {
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(child.exitCode).toBe(1)
  return said
}

test('a project is made once, and a folder with something in it stays as it is', () => {
  const made = create('my chat', '--no-install')
  expect([made.status, made.stdout]).toEqual([0, expect.stringContaining('npm start')])
  const project = join(folder, 'my chat')
  const { version } = JSON.parse(readFileSync(join(program, '../../package.json'), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({
    name: 'my-chat',
    dependencies: { '@chorale/sdk': `^${version}` },
  })
  expect(readFileSync(join(project, '.gitignore'), 'utf8')).toContain('.env\n')

  writeFileSync(join(project, 'package.json'), 'mine')
  const again = create('my chat', '--no-install')
  expect([again.status, again.stderr]).toEqual([
    1,
    expect.stringMatching(/^my chat is not empty.*\n$/),
  ])
  expect(readFileSync(join(project, 'package.json'), 'utf8')).toBe('mine')
  writeFileSync(join(folder, 'file'), '')
  expect(create('file')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^file is a file/),
  })
  expect(create('--colour').status).toBe(2)
})

test('the versions in the template are those that are tested here', () => {
  const template = JSON.parse(readFileSync(join(program, '../../template/package.json'), 'utf8'))
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { vite, typescript, '@types/node': types } = devDependencies
  expect(template.dependencies.vite).toBe(vite)
  expect(template.devDependencies).toEqual({ typescript, '@types/node': types })
})

test('without keys, without Chorale and with wrong keys it says what to do', async () => {
  create('lost', '--no-install')
  create('refused', '--no-install')
  const env = `API_URL=${app.origin}/v3\nAPP_ID=${app.appId}\nAPI_KEY=wrong\n`
  writeFileSync(join(folder, 'refused/.env'), env)
  const nobody = { API_URL: 'http://127.0.0.1:1/v3', APP_ID: app.appId, API_KEY: 'some' }
  const refusals = [start('lost'), start('lost', nobody), start('refused')].map(refusalOf)
  expect(await Promise.all(refusals)).toEqual([
    expect.stringContaining('Run `npx chorale start` in the folder above'),
    expect.stringContaining('Start it: npx chorale start'),
    expect.stringContaining('refuses the keys'),
  ])
})

test('two people talk in two windows, and the API key stays on the server', async () => {
  const keys = await app.anotherApp()
  const { appId, full: apiKey } = keys
  // As `chorale start` leaves them in the folder above.
  mkdirSync(join(folder, 'chorale-data'))
  const started = { apiUrl: `${app.origin}/v3`, appId, apiKey }
  writeFileSync(join(folder, 'chorale-data/started.json'), JSON.stringify(started))
  create('talk', '--no-install')
  const server = start('talk', { PORT: String(await freePort()) })
  server.stderr.pipe(process.stderr)
  const [line] = await once(createInterface(server.stdout), 'line')
  const { origin, host, port } = new URL(String(line))

  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const bodies: Promise<string>[] = []
  const problems: string[] = []
  const logIn = async (name: string) => {
    const page = await browser.newPage()
    page.on('response', (answer) => bodies.push(answer.text().catch(() => '')))
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (entry) => {
      if (entry.type() === 'error') problems.push(entry.text())
    })
    await page.goto(origin)
    await page.getByLabel('Your name').fill(name)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForSelector('#connection:has-text("online")')
    return page
  }
  const [ann, bob] = [await logIn('ann'), await logIn('bob')]
  await ann.getByLabel('Write to').fill('bob')
  await ann.getByLabel('Write to').press('Enter')
  await ann.getByLabel('Message').fill('Hello, Bob!')
  await ann.getByRole('button', { name: 'Send' }).click()
  // It is in the list of the other, with a count; opened, it is read.
  await bob.click('.conversation:has(.unread:has-text("1")):has-text("Hello, Bob!")')
  await bob.waitForSelector('.message:has-text("Hello, Bob!")')
  await ann.waitForSelector('.message.own:has-text("Hello, Bob!") .state:has-text("read")')
  await bob.getByLabel('Message').pressSequentially('Hel')
  await ann.waitForSelector('#typing:has-text("bob")')
  await bob.getByLabel('Message').fill('Hello, Ann!')
  await bob.getByRole('button', { name: 'Send' }).click()
  await ann.waitForSelector('.message:not(.own):has-text("Hello, Ann!")')

  const full = app.client(keys, 'full')
  const members = { participants: ['ann', 'bob'] }
  const group = {
    guid: 'g1',
    name: 'Choir practice',
    type: 'public',
    owner: 'ann',
    members,
  } as const
  await full.createGroup({ body: group })
  await bob.click('.conversation:has-text("Choir practice")')
  await bob.getByRole('heading', { name: 'Choir practice' }).waitFor()
  expect(problems).toEqual([])
  const seen = (await Promise.all(bodies)).join('\n')
  expect(seen).toContain('authToken')
  expect(seen).not.toContain(apiKey)

  const login = async (headers: Record<string, string>) =>
    (await send(origin, { method: 'POST', path: '/login', headers, body: '{"uid":"ann"}' })).status
  expect(await login({ origin })).toBe(200)
  for (const headers of [
    {},
    { origin: 'https://stranger.example' },
    { origin: `http://stranger.example:${port}`, host: `stranger.example:${port}` },
    { origin: `http://${host}0` },
  ]) {
    expect(await login(headers), JSON.stringify(headers)).toBe(403)
  }
})
