import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { has, installPackage, lastLines, livingPid, say, waitUntil } from './commands.ts'
import { probeNats } from './probe.ts'

const port = 54_222
export const defaultNatsUrl = `nats://127.0.0.1:${port}`

const pidFileIn = (base: string) => join(base, 'nats.pid')

export async function startNats(base: string): Promise<void> {
  const store = join(base, 'nats')
  const log = join(base, 'nats.log')
  const pidFile = pidFileIn(base)
  if (!(await has('nats-server'))) {
    await installPackage('nats-server', ',\nor point NATS_URL at a server that already runs')
  }
  if (!livingPid(pidFile, store)) {
    say(`starting NATS on 127.0.0.1:${port}`)
    mkdirSync(store, { recursive: true })
    rmSync(pidFile, { force: true })
    const server = spawn(
      'nats-server',
      ['-js', '-sd', store, '-a', '127.0.0.1', '-p', String(port), '-P', pidFile, '-l', log],
      {
        cwd: '/',
        detached: true,
        stdio: 'ignore',
        env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin` },
      },
    )
    await new Promise((resolve, reject) => {
      server.once('spawn', resolve)
      server.once('error', reject)
    })
    server.unref()
  }
  const up = await waitUntil(async () => (await probeNats(defaultNatsUrl)) === 'ready', 30_000)
  if (!up) throw new Error(`NATS did not start; the end of ${log}:\n${lastLines(log)}`)
}

/** Returns whether it was running. */
export async function stopNats(base: string): Promise<boolean> {
  const isRunning = () => livingPid(pidFileIn(base), join(base, 'nats'))
  const pid = isRunning()
  if (!pid) return false
  process.kill(pid, 'SIGTERM')
  if (!(await waitUntil(() => !isRunning(), 20_000))) throw new Error(`NATS (${pid}) did not stop`)
  return true
}
