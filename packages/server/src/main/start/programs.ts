import { spawn } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { CommandError } from '../commands/output.ts'
import type { Account } from './account.ts'

const suffix = process.platform === 'win32' ? '.exe' : ''

/** The file of a program in one of these folders. */
export function programIn(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => join(folder, name + suffix)).find(isExecutable)
}

/** Where programs are; servers are not on everybody's path. */
export function programFolders(): string[] {
  const more = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return process.platform === 'win32' ? folders : [...folders, ...more]
}

/** The folders in a folder, if there is one. */
export function foldersIn(folder: string | undefined): string[] {
  try {
    return folder === undefined ? [] : readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface RunOptions {
  readonly account?: Account | undefined
  readonly cwd?: string
  readonly signal?: AbortSignal
  /** A server that the program leaves running would keep a pipe open. */
  readonly output?: 'pipe' | 'ignore'
}

/** Runs a program to its end; returns its exit code and what it printed. */
export function run(program: string, args: readonly string[], options: RunOptions = {}) {
  const { account, cwd, signal, output = 'pipe' } = options
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    windowsHide: true,
    ...(account && { uid: account.uid, gid: account.gid }),
    ...(cwd !== undefined && { cwd }),
    ...(signal && { signal }),
  })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  }
  return new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    child.once('error', (error) => reject(signal?.aborted ? signal.reason : error))
    child.once('close', (code) => {
      // Ctrl-C ends the program as well: that is no failure of its own.
      if (signal?.aborted) reject(signal.reason)
      else resolve({ code, text: chunks.join('').trim() })
    })
  })
}

/** Asks again and again, until it is so; throws what `orElse` says after so long. */
export async function waitUntil(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  orElse: () => string,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new CommandError(orElse())
    await after(50)
  }
}

export function lastLines(file: string, count = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return `(${file} is not there)`
  }
}
