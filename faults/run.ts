import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faults } from './kinds/kinds.ts'
import { type Result, runFaults } from './load/run.ts'
import { keep, keptRuns, linesOf, sumOf } from './report/kept.ts'
import { pageOf } from './report/page.ts'
import { down, state, up } from './rig/rig.ts'

// npm run faults -- up               starts the cluster: as root, with the programs that it names when they are missing
// npm run faults -- list             the faults
// npm run faults -- run NAME [...]   one fault under load, or several at the same time
// npm run faults -- all              one after the other
// npm run faults -- soak HOURS       pairs drawn at random
// npm run faults -- keep             adds the runs of the report to faults/runs.ndjson, the sum over all machines
// npm run faults -- sum              what that sum is
// npm run faults -- down             ends all of it
//   --rate 500                       messages a second
//   --calm 10                        seconds before a fault, and after it was set right

const reports = process.env.FAULTS_REPORTS ?? 'faults-report'
const file = join(reports, 'results.ndjson')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: 'string' }, calm: { type: 'string' } },
})
const options = { perSecond: Number(values.rate ?? 500), calmSeconds: Number(values.calm ?? 10) }
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`)
const [command, ...names] = positionals

const commands: Readonly<Record<string, () => Promise<void>>> = {
  up: () => up(say),
  down: () => down(say),
  state: async () => console.log(state()),
  async list() {
    for (const { name, what } of faults) console.log(`${name.padEnd(22)} ${what}`)
  },
  run: () => one(names),
  async all() {
    for (const { name } of faults) await one([name])
  },
  async keep() {
    say(`${keep(results())} runs added: ${sum()}; now npm run generated`)
  },
  sum: async () => console.log(sum()),
  async soak() {
    const until = Date.now() + Number(names[0]) * 3_600_000
    while (Date.now() < until) {
      const pair = [drawn(), drawn()]
      // Hours of runs do not end with one that the rig could not carry through.
      await one(pair).catch((error) => {
        say(`${pair.join('+')} failed: ${error instanceof Error ? error.stack : error}`)
        process.exitCode = 1
      })
    }
  },
}

function sum(): string {
  const { runs, acknowledged, findings } = sumOf(keptRuns())
  return `${runs} runs, ${acknowledged} messages acknowledged, ${findings} findings`
}

async function one(wanted: readonly string[]): Promise<void> {
  const chosen = [...new Set(wanted)].map((name) => {
    const fault = faults.find((each) => each.name === name)
    if (!fault) throw new Error(`There is no fault ${name}: npm run faults -- list`)
    return fault
  })
  for (const fault of chosen) {
    const reason = await fault.cannot?.()
    if (reason) return say(`${fault.name} is left out: ${reason}`)
  }
  record(await runFaults(chosen, options, say))
}

function drawn(): string {
  return faults[Math.floor(Math.random() * faults.length)]?.name ?? ''
}

/** The sum is kept over all runs, whenever they were. */
function record(result: Result): void {
  const { fault, acknowledged, findings, gapMs } = result
  const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ') || 'nothing'
  say(`${fault}: ${acknowledged} acknowledged, gap ${(gapMs / 1000).toFixed(1)} s, found: ${rules}`)
  for (const { rule, text } of findings.slice(0, 10)) say(`  ${rule}: ${text}`)
  mkdirSync(reports, { recursive: true })
  appendFileSync(file, `${JSON.stringify({ ...result, findings: findings.slice(0, 100) })}\n`)
  writeFileSync(join(reports, 'index.html'), pageOf(results()))
  if (findings.length > 0) process.exitCode = 1
}

function results(): Result[] {
  return existsSync(file) ? linesOf(file).map((line) => JSON.parse(line)) : []
}

const chosen = commands[command ?? '']
if (chosen) {
  await chosen()
  // Connections that are kept for the next call would hold it for minutes.
  process.exit()
} else {
  console.error(
    'npm run faults -- up | list | run NAME [NAME ...] | all | soak HOURS | keep | sum | state | down',
  )
  process.exitCode = 1
}
