import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { openBrowser } from '../../packages/testing/src/network/example-page.ts'
import { expectReceiver } from '../../packages/testing/src/providers/webhook-receiver.ts'
import { startRealtimeFixture } from '../../packages/testing/src/service/realtime-fixture.ts'
import { root } from '../tree.ts'
import { fencesOf } from './markdown.ts'

// What takes longer than guide.test.ts may: a browser, a compiler, packages that are built.

const run = promisify(execFile)
const fixture = await startRealtimeFixture()
const { app } = fixture
const folder = mkdtempSync(join(tmpdir(), 'chorale-guide-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await fixture[Symbol.asyncDispose]()
})

/** As `go run` has it, in a folder that it may write to. */
const goEnv = { PATH: process.env.PATH, HOME: folder, GO111MODULE: 'off' }

async function build(file: string): Promise<string> {
  const program = join(folder, basename(file, '.go'))
  await run('go', ['build', '-o', program, join(root, file)], { env: goEnv, cwd: folder })
  return program
}

test('examples/server/server.go does what its page says', async () => {
  const { appId, full } = await app.anotherApp()
  const env = { API_URL: `${app.origin}/v3`, APP_ID: appId, API_KEY: full }
  const program = await build('examples/server/server.go')
  const { stdout } = await run(program, [], { env })
  expect(stdout).toMatch(/^token ann_\w+\napp_system: Welcome, both of you.\n$/)
})

test('examples/webhooks/receiver.go takes a genuine call, and no other', async () => {
  await expectReceiver(await build('examples/webhooks/receiver.go'), () => [])
})

test('the quick start ends with a message in two windows', async () => {
  await using stack = new AsyncDisposableStack()
  const since = performance.now()
  const page = readFileSync(join(root, 'docs/develop/quick-start.md'), 'utf8')
  const fences = fencesOf(page)
  const marked = (mark: string) => {
    const code = fences.find((fence) => fence.mark === mark)?.code
    if (code === undefined) throw new Error(`The page has nothing marked "${mark}".`)
    return code
  }
  const project = join(folder, 'project')
  mkdirSync(project)
  symlinkSync(root, join(folder, 'chorale'))
  const shell = (code: string, cwd: string) => run('bash', ['-ec', code], { cwd })
  await shell(marked('run: in the clone'), join(folder, 'chorale'))
  await shell(marked('run: in an empty folder beside the clone'), project)
  for (const file of ['server.js', 'index.html']) {
    writeFileSync(join(project, file), marked(`snippet: examples/quick-start/${file}`))
  }
  const { appId, full } = await app.anotherApp()
  const start = marked('run: with the values of the app')
    .replace('APP_ID=...', `APP_ID=${appId}`)
    .replace('API_KEY=...', `API_KEY=${full}`)
  const port = await freePort()
  const env = { PATH: process.env.PATH, CHORALE: app.origin, PORT: String(port) }
  const server = spawn('bash', ['-c', `exec env ${start}`], { cwd: project, env })
  stack.defer(() => void server.kill())
  const [address] = await once(createInterface(server.stdout), 'line')

  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const ann = await browser.newPage()
  await ann.goto(String(address))
  const bob = await browser.newPage()
  await bob.goto(`http://localhost:${port}/?me=bob&with=ann`)
  const item = (text: string) => `li:has-text("${text}")`
  await ann.fill('#text', 'Hello, Bob!')
  await ann.click('button')
  for (const window of [ann, bob]) await window.waitForSelector(item('ann: Hello, Bob!'))
  await bob.fill('#text', 'Hello, Ann!')
  await bob.click('button')
  for (const window of [ann, bob]) await window.waitForSelector(item('bob: Hello, Ann!'))
  console.log(`quick start: ${((performance.now() - since) / 1000).toFixed(0)} s`)
})
