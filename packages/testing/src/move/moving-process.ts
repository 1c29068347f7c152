import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../server/bin/chorale.js', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `chorale ...`, as a process that can be killed. */
export interface MovingProcess {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  /** As Ctrl-C does. */
  stop(): void
  /** `kill -9`. */
  kill(): void
  /** The most memory that it has had so far. */
  peakBytes(): number
}

/** With nothing else in the environment. */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): MovingProcess {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  let peak = 0
  const look = () => {
    peak = Math.max(peak, peakOf(child.pid))
  }
  const looking = setInterval(look, 500)
  const ended = once(child, 'close').then(([code]): Ended => {
    clearInterval(looking)
    return { code, ...texts }
  })
  const stop = () => void child.kill('SIGINT')
  const kill = () => void child.kill('SIGKILL')
  return { pid: child.pid, ended, stop, kill, peakBytes: () => peak }
}

export function startMoving(
  args: readonly string[],
  keys: { readonly from: string; readonly to: string },
  more: Readonly<Record<string, string>> = {},
): MovingProcess {
  return startProgram(['move', ...args], {
    CHORALE_MOVE_FROM_KEY: keys.from,
    CHORALE_MOVE_TO_KEY: keys.to,
    ...more,
  })
}

function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
