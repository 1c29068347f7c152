import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../packages/testing/src/processes/compile-cache.ts'
import { lastLines, waitUntil } from '../../tools/services/commands.ts'

const program = fileURLToPath(new URL('../../packages/server/bin/chorale.js', import.meta.url))

export type Settings = Readonly<Record<string, string>>

export interface Serving extends AsyncDisposable {
  /** Empty for a worker alone, which takes no calls. */
  readonly origin: string
  /** Of `/metrics` and the checks of health. */
  readonly operationsOrigin: string
  readonly pid: number
  /** What it has said so far. */
  log(): string
}

/**
 * `chorale serve` as an operator runs it; its log goes to a file, which costs this process nothing.
 * `BENCH_NODE_OPTIONS="--cpu-prof --cpu-prof-dir=..."` leaves a profile of it.
 */
export async function startServing(
  settings: Settings,
  parts: string,
  processes = 1,
): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-serving-'))
  const log = join(folder, 'log')
  const output = openSync(log, 'w')
  const { PATH, BENCH_NODE_OPTIONS: NODE_OPTIONS } = process.env
  const options = ['--port', '0', '--parts', parts, '--processes', `${processes}`]
  const child = spawn(process.execPath, [program, 'serve', ...options], {
    cwd: folder,
    env: { PATH, NODE_OPTIONS, ...compileCache, OPERATIONS_PORT: '0', ...settings },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = once(child, 'close')
  const said = () => readFileSync(log, 'utf8')
  const lastOfStart = processes > 1 ? 'all processes have started' : 'started'
  const hasStarted = () => said().includes(`"msg":"${lastOfStart}"`)
  const addressOf = (name: string) =>
    new RegExp(`"serves":"(?:${name})","address":"([^"]+)"`).exec(said())?.[1] ?? ''
  await waitUntil(() => hasStarted() || child.exitCode !== null, 120_000)
  const { pid } = child
  if (!hasStarted() || pid === undefined) {
    child.kill('SIGKILL')
    throw new Error(`chorale serve is not ready:\n${lastLines(log)}`)
  }
  const onEarlyEnd = (code: number | null, signal: string | null) =>
    process.stderr.write(`chorale serve has ended: ${code ?? signal}\n${lastLines(log)}\n`)
  child.once('exit', onEarlyEnd)
  return {
    origin: addressOf('api|gateway'),
    operationsOrigin: addressOf('operations'),
    pid,
    log: said,
    async [Symbol.asyncDispose]() {
      child.off('exit', onEarlyEnd)
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
