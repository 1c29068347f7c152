/** Runs the five commands of the README as they stand there, in a fresh clone of HEAD. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../packages/server/src/main/start/free-port.ts'
import { deleteStreams } from '../packages/testing/src/engines/event-streams.ts'
import { newcomer } from './newcomer.ts'
import { lastLines, waitUntil } from './services/commands.ts'
import { withScratchDatabase } from './services/scratch.ts'
import { ensureServices } from './services.ts'
import { root } from './tree.ts'

const heading = '## From clone to first message'
const timeoutMs = 600_000
const mark = '=== the output of the next command ==='

function commandsOf(readme: string): string[] {
  const section = readme.split(`${heading}\n`)[1]?.split('\n## ')[0]
  const block = /```sh\n(.*?)```/s.exec(section ?? '')?.[1]
  if (!block) throw new Error(`README.md has no commands under "${heading}"`)
  return block.split(/(?<!\\)\n/).filter((line) => line.trim() !== '')
}

/** Only the address of the clone is ours: everything else is run as written. */
function fromHere([clone = '', ...rest]: readonly string[]): string[] {
  const changed = clone.replace(/^(git clone )\S+/, (_, start) => `${start}'${root}'`)
  if (changed === clone) throw new Error('the first command of README.md does not clone')
  return [changed, ...rest]
}

/** Runs a script in a process group of its own, and ends whatever it left running. */
async function run(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const shell = spawn('bash', [script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid } = shell
  if (pid === undefined) throw new Error('bash is missing')
  const group = (signal: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, signal)
    } catch {
      return false
    }
  }
  const end = () => group('SIGTERM')
  const late = setTimeout(end, timeoutMs)
  process.once('SIGINT', end).once('SIGTERM', end)
  const chunks: Buffer[] = []
  shell.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  try {
    const code = await new Promise<number | null>((resolve) => shell.once('exit', resolve))
    return { code, output: Buffer.concat(chunks).toString('utf8') }
  } finally {
    clearTimeout(late)
    end()
    if (!(await waitUntil(() => !group(0), 30_000))) group('SIGKILL')
  }
}

interface Run {
  readonly code: number | null
  readonly output: string
}

interface Answer {
  readonly data?: { readonly data?: { readonly text?: string } }
}

/** The last command printed answers and, by `.curlrc`, behind each its status. */
function objectionTo({ code, output }: Run, commands: readonly string[]): string | undefined {
  const outputs = output.split(`${mark}\n`).slice(1)
  if (code !== 0) return `command ${outputs.length} failed: ${commands[outputs.length - 1]}`
  const answers = [...(outputs.at(-1) ?? '').matchAll(/^(.*)\n(\d+)$/gm)]
  const refused = answers.find(([, , status]) => status !== '200')
  if (refused) return `the last command was answered with status ${refused[2]}`
  const last: Answer = JSON.parse(answers.at(-1)?.[1] ?? '{}')
  return last.data?.data?.text === 'Hello, Ada!'
    ? undefined
    : 'the answer does not hold the message'
}

async function check(folder: string): Promise<string | undefined> {
  const commands = fromHere(commandsOf(readFileSync(join(root, 'README.md'), 'utf8')))
  if (commands.length !== 5) return `README.md promises five commands and has ${commands.length}`
  const script = join(folder, 'commands.sh')
  const steps = commands.map((text) => `echo '${mark}'\n${text}\ntest $? = 0 || exit 1\n`)
  writeFileSync(script, steps.join(''))
  writeFileSync(join(folder, '.curlrc'), 'write-out = "\\n%{http_code}\\n"\n')
  const { databaseUrl, natsUrl } = await ensureServices()
  const port = await freePort()
  return withScratchDatabase(databaseUrl, `chorale_readme_${process.pid}`, async (url) => {
    const prefix = `chorale_readme_${process.pid}`
    const own = { DATABASE_URL: url, NATS_URL: natsUrl, NATS_PREFIX: prefix }
    const env = newcomer({ ...own, PORT: String(port), OPERATIONS_PORT: '0', CURL_HOME: folder })
    const result = await run(script, folder, env)
    await deleteStreams(natsUrl, prefix)
    const objection = objectionTo(result, commands)
    if (objection === undefined) return undefined
    return [objection, result.output, lastLines(join(folder, 'chorale/chorale.log'))].join('\n')
  })
}

const folder = mkdtempSync(join(tmpdir(), 'chorale-readme-'))
try {
  const objection = await check(folder)
  console.log(objection ?? 'readme: the five commands work')
  process.exitCode = objection === undefined ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
