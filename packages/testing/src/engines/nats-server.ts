import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { freePort } from '../../../server/src/main/start/free-port.ts'

/** A NATS of one's own, which can be killed and started again. Its files stay. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string
  kill(): Promise<void>
  start(): Promise<void>
  /** Takes another configuration while it runs, and resolves when that is in force. */
  reload(configuration: string): Promise<void>
}

/** The configuration is what a file of nats-server says: users, TLS and the like. */
export async function startNatsServer(configuration = ''): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-nats-'))
  const file = join(folder, 'server.conf')
  const port = await freePort()
  const url = `nats://127.0.0.1:${port}`
  let running: ChildProcess | undefined
  let written = ''
  // In the file: a reload forgets what only the command line says.
  const write = (text: string) =>
    writeFileSync(file, `jetstream { store_dir: "${folder}" }\n${text}`)
  const start = async () => {
    write(configuration)
    const args = ['-a', '127.0.0.1', '-p', String(port), '-c', file]
    const child = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    written = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
    running = child
    while (!(await greets(port))) {
      if (child.exitCode !== null) throw new Error(`nats-server ended: ${written}`)
      await after(20)
    }
  }
  const kill = async () => {
    if (!running) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
    running = undefined
  }
  await start()
  return {
    url,
    kill,
    start,
    async reload(text) {
      write(text)
      const before = written.length
      running?.kill('SIGHUP')
      while (!written.slice(before).includes('Reloaded server configuration')) {
        if (/\[ERR\].*reload/i.test(written.slice(before))) throw new Error(written.slice(before))
        await after(20)
      }
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether the server says its first line, which comes before it asks who we are. */
async function greets(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString().startsWith('INFO')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
