import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { openBrowser } from '../../packages/testing/src/network/example-page.ts'
import { newcomer } from '../newcomer.ts'
import { root } from '../tree.ts'
import { fencesOf } from './markdown.ts'

// The page as a reader follows it: word for word, in an empty folder outside the repository, with the packages as they are
// published. Only the ports are others, since those of the page may be taken here. The short form, without installing
// anything, is packages/create-chorale/src/create.test.ts.

const page = readFileSync(join(root, 'docs/develop/quick-start.md'), 'utf8')
function commands(mark: string): string {
  const code = fencesOf(page).find((fence) => fence.mark === `run: ${mark}`)?.code
  if (code === undefined) throw new Error(`The page has nothing marked "${mark}".`)
  return code
}

interface Terminal {
  /** The first line that matches, once it is printed. */
  line(pattern: RegExp): Promise<string>
  /** Ctrl-C: a signal to all that runs in it. */
  stop(): Promise<void>
}

function terminal(code: string, cwd: string, env: NodeJS.ProcessEnv): Terminal {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn('bash', ['-ec', code], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => lines.push(line))
  }
  const ended = once(child, 'close')
  return {
    async line(pattern) {
      const found = () => lines.find((line) => pattern.test(line))
      await expect
        .poll(() => found() ?? child.exitCode, { timeout: 400_000, interval: 50 })
        .not.toBe(null)
      const line = found()
      if (line === undefined) throw new Error(`${code}\n${lines.join('\n')}`)
      return line
    },
    async stop() {
      const isRunning = child.exitCode === null && child.signalCode === null
      if (isRunning) process.kill(-(child.pid ?? 0), 'SIGINT')
      await ended
    },
  }
}

test('the quick start ends with a message in two windows', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'chorale-quick-start-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'empty')
  mkdirSync(home)
  const open = (code: string, cwd: string, env: NodeJS.ProcessEnv) => {
    const opened = terminal(code, cwd, env)
    stack.defer(() => opened.stop())
    return opened
  }
  const since = performance.now()
  const seconds = () => ((performance.now() - since) / 1000).toFixed(0)

  const registryPort = String(await freePort())
  const clone = open(commands('in the clone'), root, newcomer({ PORT: registryPort }))
  const printed = await clone.line(/export npm_config_registry/)
  const told = commands('in every other terminal')
  expect(told.trim()).toBe(printed.trim().replace(registryPort, '4873'))
  const registry = told.replace('4873', registryPort)
  console.log(`quick start: the packages are served after ${seconds()} s`)

  // `yes`: what a reader answers when npm asks whether it may fetch a package.
  const cache = join(folder, 'npm-cache')
  const reader = newcomer({ npm_config_yes: 'true', npm_config_cache: cache })
  const start = open(registry + commands('in an empty folder'), home, reader)
  await start.line(/Ctrl-C stops it/)
  const started = JSON.parse(readFileSync(join(home, 'chorale-data/started.json'), 'utf8'))
  stack.defer(() => rmSync(started.engines, { recursive: true, force: true }))
  console.log(`quick start: Chorale runs after ${seconds()} s`)

  const port = String(await freePort())
  const env = { ...reader, PORT: port }
  const project = open(registry + commands('in the same folder'), home, env)
  const address = await project.line(/^http:/)
  expect(page).toContain(`<${address.replace(port, '8080')}>`)
  console.log(`quick start: the page is served after ${seconds()} s`)

  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const logIn = async (name: string) => {
    const window = await browser.newPage()
    await window.goto(address)
    await window.getByLabel('Your name').fill(name)
    await window.getByRole('button', { name: 'Log in' }).click()
    await window.waitForSelector('#connection:has-text("online")')
    return window
  }
  const [ann, bob] = [await logIn('ann'), await logIn('bob')]
  await ann.getByLabel('Write to').fill('bob')
  await ann.getByLabel('Write to').press('Enter')
  await ann.getByLabel('Message').fill('Hello, Bob!')
  await ann.getByRole('button', { name: 'Send' }).click()
  await bob.click('.conversation:has-text("Hello, Bob!")')
  await bob.waitForSelector('.message:has-text("Hello, Bob!")')
  console.log(`quick start: the first message is seen after ${seconds()} s`)
  expect(performance.now() - since).toBeLessThan(600_000)

  // What the project has for its developer works with what is installed there.
  const cwd = join(home, 'my-chat')
  for (const script of ['types', 'build']) {
    const finished = open(`npm run ${script} && echo finished: ${script}`, cwd, reader)
    await finished.line(/^finished/)
  }
})
