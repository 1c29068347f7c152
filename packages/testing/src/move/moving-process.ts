import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
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
  kill(): void
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
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...texts }))
  return { pid: child.pid, ended, kill: () => void child.kill('SIGKILL') }
}

export function startMoving(
  args: readonly string[],
  keys: { readonly from: string; readonly to: string },
): MovingProcess {
  return startProgram(['move', ...args], {
    CHORALE_MOVE_FROM_KEY: keys.from,
    CHORALE_MOVE_TO_KEY: keys.to,
  })
}
