import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { throughPooler } from '../engines/pooler.ts'
import { compileCacheIn } from './compile-cache.ts'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))

export type Settings = Readonly<Record<string, string>>

/** What the program needs to run on a database; nothing else of this process's environment. */
export function settingsFor(databaseUrl: string): Settings {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: inject('natsUrl'),
    NATS_PREFIX: natsPrefix(),
    CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
  }
}

/** A failure in the program that the signal SIGUSR2 sets off. */
export function failing(script: string): Settings {
  const code = `process.on('SIGUSR2', () => { ${script} })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The `chorale` program of one release. */
export interface Program {
  /** Runs a command to its end. */
  chorale(settings: Settings, ...args: readonly string[]): Promise<Outcome>
  /** The JSON that a command prints. Throws when it failed. */
  choraleJson<T>(settings: Settings, ...args: readonly string[]): Promise<T>
  /** `chorale serve` on a free port, once it is ready. */
  startServing(settings: Settings, ...args: readonly string[]): Promise<Serving>
  /** The same, once a line of its log has this text. */
  startSaying(text: string, settings: Settings, ...args: readonly string[]): Promise<Serving>
}

/** The program in a folder that is laid out like this repository. */
export function programIn(folder: string): Program {
  return programOf({ node: process.execPath, path: 'packages/server/bin/chorale.js', folder })
}

interface Installed {
  readonly node: string
  /** Relative to the folder. */
  readonly path: string
  readonly folder: string
}

export function programOf(installed: Installed): Program {
  const chorale: Program['chorale'] = async (settings, ...args) => {
    const child = start(installed, settings, args)
    const stdout = textOf(child.stdout)
    const stderr = textOf(child.stderr)
    const [code] = await once(child, 'close')
    return { code, stdout: stdout.join(''), stderr: stderr.join('') }
  }
  const startSaying: Program['startSaying'] = (text, settings, ...args) =>
    served(start(installed, settings, ['serve', '--port', '0', ...args]), text)
  return {
    chorale,
    async choraleJson(settings, ...args) {
      const { code, stdout, stderr } = await chorale(settings, ...args, '--json')
      if (code !== 0) throw new Error(`chorale ${args.join(' ')} failed: ${stderr}`)
      return JSON.parse(stdout)
    },
    startServing: (settings, ...args) => startSaying('"msg":"started"', settings, ...args),
    startSaying,
  }
}

export const { chorale, choraleJson, startServing, startSaying } = programIn(root)

/** A command as a line for a shell. */
export function commandLine(settings: Settings, ...args: readonly string[]): string {
  const named = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const program = join(root, 'packages/server/bin/chorale.js')
  const words = ['env', '-C', tmpdir(), ...named, process.execPath, program, ...args]
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
}

export interface Serving extends AsyncDisposable {
  readonly pid: number | undefined
  /** Empty for a worker alone, which takes no calls. */
  readonly origin: string
  /** Of `/metrics` and the checks of health. */
  readonly operationsOrigin: string
  /** All it has written so far. */
  output(): string
  /** Resolves when a line of the log has this text. */
  said(text: string): Promise<void>
  signal(name: NodeJS.Signals): void
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>
}

async function served(child: ReturnType<typeof start>, begun: string): Promise<Serving> {
  const log = textOf(child.stdout)
  const errors = textOf(child.stderr)
  const output = () => [...log, ...errors].join('')
  // What comes last may be half a line.
  const lines = () => log.join('').split('\n').slice(0, -1)
  const has = (text: string) => lines().some((line) => line.includes(text))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  const said = async (text: string) => {
    while (!has(text)) {
      const more = once(child.stdout, 'data')
      const gone = ended.then((code) => {
        if (has(text)) return
        throw new Error(`It ended with ${code} and never said "${text}": ${output()}`)
      })
      await Promise.race([more, gone])
    }
  }
  await said(begun)
  return {
    pid: child.pid,
    origin: addressIn(output(), 'api|gateway'),
    operationsOrigin: addressIn(output(), 'operations'),
    output,
    said,
    signal: (name) => void child.kill(name),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function addressIn(output: string, name: string): string {
  return new RegExp(`"serves":"(?:${name})","address":"([^"]+)"`).exec(output)?.[1] ?? ''
}

function start({ node, path, folder }: Installed, settings: Settings, args: readonly string[]) {
  // Away from the clone: a developer's `.env` must not have a say.
  const child = spawn(node, [join(folder, path), ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      ...compileCacheIn(folder),
      // Many processes run at once.
      OPERATIONS_PORT: '0',
      ...throughPooler(settings),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return child
}

function textOf(stream: ChildProcess['stdout']): string[] {
  const chunks: string[] = []
  stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  return chunks
}
