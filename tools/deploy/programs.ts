import { execFileSync, spawnSync } from 'node:child_process'

/** Runs a program to its end and answers what it printed; throws with what it said when it failed. */
export function run(program: string, args: readonly string[], cwd?: string): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

const exists = (program: string) => spawnSync('which', [program]).status === 0

/** Debian packages by the program that each has; installs those that are missing, for which it must be root. */
export function installPrograms(packages: Readonly<Record<string, string>>): void {
  const missing = Object.entries(packages).filter(([program]) => !exists(program))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0) {
    throw new Error(`please install ${missing.map(([, name]) => name).join(' ')}, or run as root`)
  }
  process.env.DEBIAN_FRONTEND = 'noninteractive'
  run('apt-get', ['update', '-q'])
  run('apt-get', [
    ...['install', '-y', '-q', '--no-install-recommends'],
    ...missing.map(([, name]) => name),
  ])
}
