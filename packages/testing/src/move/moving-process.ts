import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../server/bin/chorale.js', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `chorale move ...`, as a process that can be killed. */
export interface MovingProcess {
  readonly ended: Promise<Ended>
  kill(): void
}

export function startMoving(
  args: readonly string[],
  keys: { readonly from: string; readonly to: string },
): MovingProcess {
  const child: ChildProcess = spawn(process.execPath, [program, 'move', ...args], {
    env: {
      PATH: process.env.PATH,
      CHORALE_MOVE_FROM_KEY: keys.from,
      CHORALE_MOVE_TO_KEY: keys.to,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...texts }))
  return { ended, kill: () => void child.kill('SIGKILL') }
}
