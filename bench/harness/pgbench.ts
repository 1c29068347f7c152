import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresProgram } from '../../tools/services/postgres.ts'

const run = promisify(execFile)

/** Transactions a second of PostgreSQL's own driver: what the engine does with nobody in between. */
export async function pgbench(
  databaseUrl: string,
  script: string,
  options: { readonly clients: number; readonly seconds: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-pgbench-'))
  const file = join(folder, 'script.sql')
  writeFileSync(file, script)
  try {
    const { stdout } = await run(
      postgresProgram('pgbench'),
      [
        ...['--no-vacuum', '--protocol=prepared', '--jobs=1', '--file', file],
        ...['--client', String(options.clients), '--time', String(options.seconds), databaseUrl],
      ],
      // On partitioned tables PostgreSQL would plan every call anew, and lose a third by it.
      { env: { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan' } },
    )
    const tps = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
    if (tps === undefined) throw new Error(`pgbench printed no tps:\n${stdout}`)
    return Number(tps)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
