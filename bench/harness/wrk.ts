import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { has, installPackage } from '../../tools/services/commands.ts'

const run = promisify(execFile)

export interface WrkResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Printed {
  readonly requests: number
  readonly us: number
  readonly p50Us: number
  readonly p99Us: number
  readonly failed: number
}

/** At the end of a run wrk calls this; its own report is for people. */
const done = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\nresult {"requests":%d,"us":%d,"p50Us":%d,"p99Us":%d,"failed":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.timeout + e.status))
end
`

/**
 * As many requests as the service can take from so many connections. `script` is Lua and defines
 * `request`. Fails when an answer is not 2xx: a refusal is quick, and would look like speed.
 */
export async function wrk(
  origin: string,
  script: string,
  options: { readonly connections: number; readonly seconds: number },
): Promise<WrkResult> {
  if (!(await has('wrk'))) await installPackage('wrk')
  const folder = mkdtempSync(join(tmpdir(), 'chorale-wrk-'))
  const file = join(folder, 'script.lua')
  writeFileSync(file, script + done)
  try {
    const { stdout } = await run('wrk', [
      ...['--threads', '1', '--connections', String(options.connections)],
      ...['--duration', `${options.seconds}s`, '--timeout', '10s', '--script', file, origin],
    ])
    const text = /^result (.*)$/m.exec(stdout)?.[1]
    if (text === undefined) throw new Error(`wrk printed no result:\n${stdout}`)
    const { requests, us, p50Us, p99Us, failed }: Printed = JSON.parse(text)
    if (failed > 0) throw new Error(`${failed} of ${requests} requests failed:\n${stdout}`)
    const perSecond = requests / (us / 1_000_000)
    return { requests, perSecond, p50Ms: p50Us / 1000, p99Ms: p99Us / 1000 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const usuallyEnough = 60_000
/** Of a service that answers next to nothing. */
const minPerRun = 3000

/**
 * Until the service has compiled what it runs often, and the database has at hand what it needs.
 * Each run has a script of its own: the same one would send the same messages again.
 */
export async function warmUp(
  origin: string,
  script: () => string,
  connections: number,
  enough = usuallyEnough,
): Promise<void> {
  let answered = 0
  for (let run = 0; run < enough / minPerRun && answered < enough; run++) {
    const { requests } = await wrk(origin, script(), { connections, seconds: 2 })
    answered += requests
  }
}
