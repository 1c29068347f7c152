import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresProgram } from '../../tools/services/postgres.ts'
import { percentile } from './figures.ts'
import { type Pace, type PacedResult, runInSeconds } from './paced.ts'

const run = promisify(execFile)
const planCacheMode = { chosen: 'auto', kept: 'force_generic_plan' }

interface Load {
  readonly clients: number
  readonly seconds: number
  /** As PostgreSQL chooses them; if not said, once for each connection, as those of the service are. */
  readonly plans?: 'chosen' | 'kept'
}

/** Transactions a second of PostgreSQL's own driver: what the engine does with nobody in between. */
export async function pgbench(databaseUrl: string, script: string, options: Load): Promise<number> {
  const { stdout } = await runPgbench(databaseUrl, script, options, () => undefined)
  const tps = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
  if (tps === undefined) throw new Error(`pgbench printed no tps:\n${stdout}`)
  return Number(tps)
}

/** Transactions a second, by how they are planned. */
export interface Bare {
  /** What anybody's `pgbench --protocol=prepared` says: on partitioned tables every call is planned anew. */
  readonly chosen: number
  /** The best that it can do. */
  readonly kept: number
}

/** Half of the time for each. */
export async function bothPgbenches(
  databaseUrl: string,
  script: string,
  { clients, seconds }: Load,
): Promise<Bare> {
  const load = { clients, seconds: Math.ceil(seconds / 2) }
  return {
    chosen: await pgbench(databaseUrl, script, { ...load, plans: 'chosen' }),
    kept: await pgbench(databaseUrl, script, { ...load, plans: 'kept' }),
  }
}

/** Of what was measured before and after. */
export function between(before: Bare, after: Bare): Bare {
  return { chosen: (before.chosen + after.chosen) / 2, kept: (before.kept + after.kept) / 2 }
}

/** The same at a pace, with the waits counted as those of `pacedSends` are. */
export async function pacedPgbench(
  databaseUrl: string,
  script: string,
  { clients, perSecond, seconds }: Pace & { readonly clients: number },
): Promise<PacedResult> {
  const options = { clients, seconds: runInSeconds + seconds, perSecond }
  const { result: done } = await runPgbench(databaseUrl, script, options, readLog)
  const start = Math.min(...done.map(({ endedMs }) => endedMs))
  const waits = done
    .filter(({ endedMs }) => endedMs >= start + runInSeconds * 1000)
    .map(({ waitMs }) => waitMs)
  return { sent: done.length, p50Ms: percentile(waits, 0.5), p99Ms: percentile(waits, 0.99) }
}

interface Done {
  readonly waitMs: number
  readonly endedMs: number
}

/** Its lines: client, number, microseconds since it was due, script, second and microsecond. */
function readLog(folder: string): Done[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith('log'))
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines.map((line) => {
    const [, , waitUs = 0, , second = 0, microsecond = 0] = line.split(' ').map(Number)
    return { waitMs: waitUs / 1000, endedMs: second * 1000 + microsecond / 1000 }
  })
}

async function runPgbench<T>(
  databaseUrl: string,
  script: string,
  options: Load & { readonly perSecond?: number },
  read: (folder: string) => T,
): Promise<{ stdout: string; result: T }> {
  const { clients, seconds, perSecond, plans = 'kept' } = options
  const folder = mkdtempSync(join(tmpdir(), 'chorale-pgbench-'))
  const file = join(folder, 'script.sql')
  writeFileSync(file, script)
  const log = ['--log', '--log-prefix', join(folder, 'log')]
  try {
    const { stdout } = await run(
      postgresProgram('pgbench'),
      [
        ...['--no-vacuum', '--protocol=prepared', '--jobs=1', '--file', file],
        ...(perSecond === undefined ? [] : ['--rate', String(perSecond), ...log]),
        ...['--client', String(clients), '--time', String(seconds), databaseUrl],
      ],
      { env: { ...process.env, PGOPTIONS: `-c plan_cache_mode=${planCacheMode[plans]}` } },
    )
    return { stdout, result: read(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
