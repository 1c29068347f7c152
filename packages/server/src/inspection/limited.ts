import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** What a process may use that reads what strangers have made. */
export interface Limits {
  /** All that it writes to in memory: heaps, stacks and what libraries take. The kernel gives it no more. */
  readonly memoryMb: number
  /** On the clock; whoever waits for it ends it then. */
  readonly seconds: number
  /** Of processor time, in all. */
  readonly cpuSeconds: number
  /** Of any file that it writes. */
  readonly fileBytes: number
}

const blockBytes = 512

/** Starts a program in a group of its own, with limits that it cannot raise and nothing of our environment. */
export function startLimited(
  command: readonly string[],
  { memoryMb, cpuSeconds, fileBytes }: Limits,
  options: SpawnOptions,
): ChildProcess {
  const limits = [
    'ulimit -c 0',
    `ulimit -d ${memoryMb * 1024}`,
    `ulimit -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -f ${Math.ceil(fileBytes / blockBytes)}`,
  ]
  // What answers calls comes first; a kernel that groups by session weighs this one as a whole.
  const yieldGroup = '{ echo 10 > /proc/self/autogroup; } 2> /dev/null'
  const script = `${yieldGroup}; ${limits.join(' && ')} && exec nice -n 10 "$@"`
  // Two arenas: those of a thread each would take memory that nobody uses.
  const env = { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' }
  return spawn('/bin/sh', ['-c', script, 'sh', ...command], { ...options, env, detached: true })
}

/** With everything that it has started. */
export function endLimited({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself in this moment.
  }
}
