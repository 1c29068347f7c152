import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const isRoot = process.getuid?.() === 0

/** Progress goes to stderr, so that stdout holds nothing but the two addresses. */
export function say(line: string): void {
  process.stderr.write(`services: ${line}\n`)
}

/** Runs a program to its end; when it fails, the error holds what it printed. */
export async function execute(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    // The current folder may be closed to the user that the program changes to.
    const { stdout } = await run(program, args, { cwd: '/', env, maxBuffer: 16 << 20 })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    const printed = [stdout, stderr].filter(Boolean).join('\n').trim()
    throw new Error(`${program} ${args.join(' ')} failed\n${printed || String(error)}`)
  }
}

/** Installs a Debian package without letting it start its own service. */
export async function installPackage(name: string, orElse = ''): Promise<void> {
  if (!isRoot || !(await has('apt-get'))) {
    throw new Error(
      `Please install ${name} (on Debian: sudo apt-get install ${name})${orElse}, and try again.`,
    )
  }
  say(`installing ${name} from Debian`)
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' }
  await execute('apt-get', ['update', '-q'], env)
  await execute('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], env)
}

export async function has(program: string): Promise<boolean> {
  // Debian keeps servers in /usr/sbin, which is not on everybody's path.
  const path = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/usr/local/sbin`
  return execute('/bin/sh', ['-c', `command -v ${program}`], { ...process.env, PATH: path }).then(
    () => true,
    () => false,
  )
}

/** The pid in the first line of a pid file, if a living process there was started with this text. */
export function livingPid(pidFile: string, startedWith: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
    if (!Number.isInteger(pid) || pid <= 1) return undefined
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(startedWith) ? pid : undefined
  } catch {
    return undefined
  }
}

export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) return false
    await sleep(100)
  }
  return true
}

export function lastLines(file: string, count = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return `(${file} is not there)`
  }
}

/**
 * Holds an exclusive lock while the work runs. A child process holds it for us, and the kernel
 * frees it when either dies: a lock file can be left behind, a lock cannot.
 */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', ['-x', file, 'sh', '-c', 'echo locked; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject)
    holder.once('close', () => reject(new Error(`cannot lock ${file}`)))
    holder.stdout.once('data', () => resolve())
  })
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await ended
  }
}
