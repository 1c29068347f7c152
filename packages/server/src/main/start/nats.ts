import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Account, makeFolder } from './account.ts'
import { freePort } from './free-port.ts'
import type { Engine } from './postgres.ts'
import { lastLines, programFolders, programIn, waitUntil } from './programs.ts'

export interface NatsOptions {
  readonly home: string
  readonly password: string
  readonly account: Account | undefined
  say(text: string): void
}

/** How to install it: there is no package of npm that holds it. */
const installLines: Readonly<Record<string, string>> = {
  linux: 'sudo apt-get install nats-server, or the file of your system from nats.io/download',
  darwin: 'brew install nats-server',
  win32: 'winget install NATSAuthors.NATSServer, or choco install nats-server',
}

export function howToInstallNats(): string {
  return installLines[process.platform] ?? 'see nats.io/download'
}

/** Starts a server of its own on loopback. Undefined: the program is not installed. */
export async function startNats(options: NatsOptions): Promise<Engine | undefined> {
  const { home, account, password, say } = options
  const program = programIn([join(home, 'bin'), ...programFolders()], 'nats-server')
  if (program === undefined) return undefined
  makeFolder(home, account)
  const store = join(home, 'nats')
  makeFolder(store, account)
  const left = await leftRunning(store)
  const port = left?.port ?? (await freePort())
  const url = `nats://chorale:${password}@127.0.0.1:${port}`
  if (left) return { url, [Symbol.asyncDispose]: () => endProcess(left.pid) }
  say(`starting ${program}`)
  const config = join(store, 'nats.json')
  writeFileSync(config, configuration(port, store, password), { mode: 0o600 })
  if (account) chownSync(config, account.uid, account.gid)
  const log = join(store, 'nats.log')
  const output = openSync(log, 'a')
  const child = spawn(program, ['-c', config], {
    cwd: store,
    // Ctrl-C is for this process, which ends the other when it no longer needs it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', output, output],
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  const ended = once(child, 'exit')
  const failed = ended.then(() =>
    Promise.reject(new Error(`NATS ended: ${log}\n${lastLines(log)}`)),
  )
  const up = waitUntil(
    async () => (await greetingAt(port)) !== undefined,
    30_000,
    () => `NATS does not answer: ${log}\n${lastLines(log)}`,
  )
  await Promise.race([up, failed])
  failed.catch(() => undefined)
  child.unref()
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.ref()
      child.kill()
      await ended
    },
  }
}

/** NATS reads JSON as well as its own notation. */
function configuration(port: number, store: string, password: string): string {
  return JSON.stringify({
    host: '127.0.0.1',
    port,
    server_name: nameOf(store),
    pid_file: join(store, 'nats.pid'),
    jetstream: { store_dir: store },
    authorization: { user: 'chorale', password },
  })
}

/** By it a server is known again that a killed `start` has left running. */
function nameOf(store: string): string {
  return `chorale-${Buffer.from(store).toString('base64url')}`
}

async function leftRunning(store: string): Promise<{ port: number; pid: number } | undefined> {
  const [config, pidFile] = [join(store, 'nats.json'), join(store, 'nats.pid')]
  if (!existsSync(config) || !existsSync(pidFile)) return undefined
  const { port }: { port: number } = JSON.parse(readFileSync(config, 'utf8'))
  const greeting = await greetingAt(port)
  return greeting?.includes(nameOf(store))
    ? { port, pid: Number(readFileSync(pidFile, 'utf8')) }
    : undefined
}

/** The line of JSON with which a NATS server greets every connection. */
function greetingAt(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const finish = (text?: string) => {
      socket.destroy()
      resolve(text?.startsWith('INFO ') ? text : undefined)
    }
    let text = ''
    socket.setTimeout(2000, () => finish())
    socket.once('error', () => finish())
    socket.once('close', () => finish())
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\r\n')) finish(text)
    })
  })
}

async function endProcess(pid: number): Promise<void> {
  process.kill(pid)
  const isGone = async () => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  }
  await waitUntil(isGone, 20_000, () => `NATS (${pid}) did not stop`)
}
