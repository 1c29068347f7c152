import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './tree.ts'

// Everything a change must pass, in one command. A step is silent unless it fails.

const { values: options } = parseArgs({
  options: {
    slow: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** Why there is nothing to do yet; undefined when there is. */
  readonly skip?: string | undefined
  /** Takes both cores, so it runs alone. */
  readonly alone?: boolean
  /** Its closing lines are printed even on success: CI reads them. */
  readonly closing?: RegExp
  /** Lines to be seen even on success, wherever they stand: figures that have a limit. */
  readonly figures?: RegExp
}

const bin = (name: string) => join(root, 'node_modules/.bin', name)
const tool = (name: string) => [process.execPath, join(root, 'tools', name)]

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const script = (name: string, ...args: string[]) => ({
  command: ['npm', 'run', '--silent', name, ...args],
  skip: scripts[name] ? undefined : `no script ${name}`,
})

const migrationsFolder = join(root, 'packages/server/migrations')
const migrations = existsSync(migrationsFolder)
  ? readdirSync(migrationsFolder)
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => join('packages/server/migrations', name))
  : []

const vitest = (...flags: string[]) => ({
  command: [bin('vitest'), 'run', ...flags],
  alone: true,
  closing: /^\s*Test Files /,
})

const steps: readonly Step[] = [
  { name: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: [process.execPath, 'node_modules/typescript7/bin/tsc', '-p', '.'] },
  { name: 'arrows', command: [bin('depcruise'), '--config', '.dependency-cruiser.mjs', '.'] },
  { name: 'dead code', command: [bin('knip'), '--no-progress'] },
  { name: 'sizes and names', command: tool('sizes.ts') },
  { name: 'retired words', command: tool('retired-words.ts') },
  { name: 'lockfile', command: tool('lockfile.ts') },
  { name: 'licences', command: tool('licences.ts') },
  {
    name: 'migrations',
    command: [bin('squawk'), '--reporter', 'gcc', ...migrations],
    skip: migrations.length > 0 ? undefined : 'no migrations',
  },
  { name: 'openapi', ...script('openapi:lint') },
  { name: 'generated files', ...script('generated', '--', '--check') },
  { name: 'tests', ...vitest('--project=pure', '--project=service'), figures: /^(?:sdk|react): / },
  // Reads what the tests have just noted; the slow tests begin their notes anew.
  { name: 'contract coverage', command: tool('contract-coverage.ts'), alone: true },
  ...(options.slow
    ? [
        { name: 'slow tests', ...vitest('--project=slow', '--passWithNoTests', '--maxWorkers=2') },
        {
          name: 'other engines',
          ...script('test:engines'),
          alone: true,
          figures: /^(PostgreSQL \d+|PgBouncer: \w+)$|^ +Tests /,
        },
      ]
    : []),
]

interface Result {
  readonly name: string
  readonly passed: boolean
  readonly closing: string
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

async function runStep(step: Step): Promise<Result> {
  if (step.skip) {
    console.log(`- ${step.name.padEnd(18)} skipped: ${step.skip}`)
    return { name: step.name, passed: true, closing: '' }
  }
  const start = performance.now()
  const { code, output } = await capture(step.command)
  const passed = code === 0
  console.log(`${passed ? '✓' : '✗'} ${step.name.padEnd(18)} ${seconds(start).padStart(8)}`)
  if (!passed || options.verbose) console.log(output.trimEnd().replace(/^/gm, '    '))
  return { name: step.name, passed, closing: closingLines(output, step) }
}

function capture([program = '', ...args]: readonly string[]) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      // Output is read by people and by CI from a log, so it carries no colours.
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    const finish = (code: number, last = '') =>
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') + last })
    child.once('error', (error) => finish(1, String(error)))
    child.once('close', (code) => finish(code ?? 1))
  })
}

function closingLines(output: string, { closing, figures }: Step): string {
  const lines = output.trimEnd().split('\n')
  const first = closing ? lines.findLastIndex((line) => closing.test(line)) : -1
  return [
    ...lines.filter((line) => figures?.test(line)),
    ...(first < 0 ? [] : lines.slice(first)),
  ].join('\n')
}

/** Takes the steps in order, `width` at a time. */
async function runAll(waiting: readonly Step[], width: number): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...waiting]
  const worker = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) results.push(await runStep(step))
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

const start = performance.now()
const results = [
  ...(await runAll(
    steps.filter(({ alone }) => !alone),
    2,
  )),
  ...(await runAll(
    steps.filter(({ alone }) => alone),
    1,
  )),
]
const failed = results.filter(({ passed }) => !passed).map(({ name }) => name)

for (const { name, closing } of results) if (closing) console.log(`\n${name}\n${closing}`)
console.log(
  failed.length > 0
    ? `\ncheck: failed (${failed.join(', ')}) after ${seconds(start)}`
    : `\ncheck: passed in ${seconds(start)}`,
)
process.exitCode = failed.length > 0 ? 1 : 0
