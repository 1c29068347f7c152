import { readdirSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bench, type BenchOptions, runBench } from './harness/context.ts'
import { asText, missed } from './harness/report.ts'

// npm run bench                      lists what there is
// npm run bench -- <name> [--json]   runs one; fails when it misses a goal
//   --seconds, --rounds, --rows      smaller or larger than usual, where the bench has them

const {
  values: { json, ...sizes },
  positionals: [wanted],
} = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    rows: { type: 'string' },
  },
})

function readOptions(): BenchOptions {
  const given = Object.entries(sizes).map(([name, text]) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number.`)
    return [name, value]
  })
  return Object.fromEntries(given)
}

async function allBenches(): Promise<Bench[]> {
  const files = readdirSync(import.meta.dirname)
    .filter((file) => /^[\w-]+\.ts$/.test(file) && file !== 'run.ts')
    .sort()
  // Each file of this folder exports `bench`; the harness is a folder below.
  const modules = await Promise.all(
    files.map(async (file) => (await import(`./${file}`)) as { bench: Bench }),
  )
  return modules.map(({ bench }) => bench)
}

function machine() {
  return {
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    at: new Date().toISOString(),
  }
}

const benches = await allBenches()
const bench = benches.find(({ name }) => name === wanted)
if (bench) {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const report = await runBench(bench, say, readOptions())
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...report.figures, bench: bench.name, machine: machine(), ...report }, undefined, 2)}\n`
      : `\n${asText(report)}`,
  )
  process.exitCode = missed(report).length > 0 ? 1 : 0
} else {
  for (const { name, summary } of benches) console.log(`${name.padEnd(12)} ${summary}`)
  if (wanted !== undefined) {
    console.error(`There is no bench ${wanted}.`)
    process.exitCode = 1
  }
}
