import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { waitFor } from './commands.ts'
import { folder, type Host } from './layout.ts'
import { namespaceOf } from './network.ts'

export interface Wanted {
  readonly name: string
  /** Outside of the hosts where it is not said. */
  readonly host?: Host
  /** PostgreSQL refuses to run as root. */
  readonly asPostgres?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly command: readonly [string, ...string[]]
}

interface Started {
  readonly pid: number
  /** As the kernel counts it: a pid that was given to another process has another time. */
  readonly since: string
}

const fileOf = (name: string) => join(folder, 'processes', `${name}.json`)
const logOf = (name: string) => join(folder, 'logs', `${name}.log`)

export function start({ name, host, asPostgres, environment = {}, command }: Wanted): void {
  if (pidOf(name) !== undefined) return
  for (const part of ['processes', 'logs']) mkdirSync(join(folder, part), { recursive: true })
  // Each of these becomes the next, so that the pid is the one of the command.
  const words = [
    ...(host ? ['ip', 'netns', 'exec', namespaceOf(host)] : []),
    ...(asPostgres ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []),
    ...command,
  ]
  const [program = '', ...args] = words
  const log = openSync(logOf(name), 'a')
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...environment },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  if (child.pid === undefined) throw new Error(`${name} did not start: is ${program} installed?`)
  const since = sinceOf(child.pid)
  if (since) writeFileSync(fileOf(name), JSON.stringify({ pid: child.pid, since }))
}

/** Of a process that this rig started and that still runs. */
export function pidOf(name: string): number | undefined {
  if (!existsSync(fileOf(name))) return undefined
  const { pid, since }: Started = JSON.parse(readFileSync(fileOf(name), 'utf8'))
  return sinceOf(pid) === since ? pid : undefined
}

function sinceOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    // A child of this process that has ended is there until it is asked for.
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return undefined
  }
}

/** False: it does not run. */
export function signal(name: string, sent: NodeJS.Signals): boolean {
  const pid = pidOf(name)
  return pid !== undefined && process.kill(pid, sent)
}

/** For processes that may end by themselves meanwhile. */
export function signalIfThere(pid: number, sent: NodeJS.Signals): void {
  try {
    process.kill(pid, sent)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Asks it to end, and ends it after `seconds`. */
export async function stop(name: string, seconds = 15): Promise<void> {
  if (!signal(name, 'SIGTERM')) return
  signal(name, 'SIGCONT')
  const isGone = async () => pidOf(name) === undefined
  await waitFor(`end of ${name}`, seconds, isGone).catch(() => signal(name, 'SIGKILL'))
  rmSync(fileOf(name), { force: true })
}
