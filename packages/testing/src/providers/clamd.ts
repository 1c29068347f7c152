import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClamd } from '../../../server/src/inspection/clamd.ts'

/** The file that every scanner finds, and that harms nobody. */
export const eicar = Buffer.from(
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*',
)

export interface Clamd extends AsyncDisposable {
  readonly socket: string
  readonly pid: number | undefined
  start(): Promise<void>
  stop(): Promise<void>
}

/** ClamAV in a folder of its own, with one signature. */
export async function startClamd(maxMb = 120): Promise<Clamd> {
  const folder = await mkdtemp(join(tmpdir(), 'clamd-'))
  const socket = join(folder, 'clamd.ctl')
  const database = join(folder, 'database')
  await mkdir(database)
  await writeFile(join(database, 'test.ndb'), `Eicar-Test:0:*:${eicar.toString('hex')}\n`)
  const settings = {
    LocalSocket: socket,
    DatabaseDirectory: database,
    TemporaryDirectory: folder,
    Foreground: 'yes',
    StreamMaxLength: `${maxMb}M`,
    MaxThreads: '2',
    AlertExceedsMax: 'yes',
  }
  const lines = Object.entries(settings).map((setting) => setting.join(' '))
  await writeFile(join(folder, 'clamd.conf'), `${lines.join('\n')}\n`)
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    await rm(socket, { force: true })
    child = spawn('clamd', ['--config-file', join(folder, 'clamd.conf')], { stdio: 'ignore' })
    child.on('error', () => undefined)
    const scanner = openClamd({ address: socket, timeoutMs: 5000 })
    for (let tries = 0; tries < 300; tries++) {
      const isThere = await scanner.ping().then(
        () => true,
        () => false,
      )
      if (isThere) return
      await sleep(100)
    }
    throw new Error('clamd did not start: is clamav-daemon installed?')
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    socket,
    get pid() {
      return child?.pid
    },
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
