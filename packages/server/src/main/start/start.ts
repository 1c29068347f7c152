import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Config, readConfig } from '../../config.ts'
import { migrate } from '../../database/migrator.ts'
import { CommandError } from '../commands/output.ts'
import { serveUntilStopped } from '../commands/serve.ts'
import { makeConsoleFiles } from '../console-files.ts'
import { openLog } from '../log.ts'
import { type Account, engineAccount } from './account.ts'
import { type DataFolder, type Demo, type Owner, openDataFolder } from './data-folder.ts'
import { demoSize, seedDemo } from './demo/seed.ts'
import { openDemoPages } from './demo-page.ts'
import { firstOwner } from './first-owner.ts'
import { isAnswered, portThatIsFree } from './free-port.ts'
import { openGuidePages, together } from './guide-pages.ts'
import { howToInstallNats, startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'
import { openProgress, type Progress } from './progress.ts'
import { stopSignal } from './stop-signal.ts'

/** What `start` prints when it serves. */
export interface Started {
  readonly apiUrl: string
  /** Undefined: `DOCS` is off. */
  readonly docs: string | undefined
  readonly demo: string
  readonly console: string
  /** The first owner; undefined: others had made collaborators. */
  readonly owner: Owner | undefined
  readonly appId: string
  readonly apiKey: string
  readonly authOnlyKey: string
  readonly data: string
  /** Where the engines keep theirs: in the same folder, unless root has started them. */
  readonly engines: string
}

export interface StartOptions {
  readonly folder: string
  onStarted(started: Started): void
}

interface Steps {
  readonly progress: Progress
  readonly folder: DataFolder
  readonly account: Account | undefined
  readonly given: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** Starts what is missing, fills it, and serves until it is told to stop; then stops what it has started. */
export async function startAndServe({ folder: path, onStarted }: StartOptions): Promise<void> {
  const signal = stopSignal()
  const progress = openProgress(signal)
  const account = engineAccount()
  const folder = openDataFolder(path, account)
  const given = givenSettings()
  const steps = { progress, folder, account, given, signal }
  const running = claim(folder)
  try {
    await using stack = new AsyncDisposableStack()
    const config = await configured(steps, stack)
    await progress.step(
      'Tables',
      'migrating the database',
      () => migrate(config.DATABASE_URL),
      (ran) => (ran.length === 0 ? 'up to date' : `${ran.length} migrations`),
    )
    if (!isLoopback(config.HOST)) {
      progress.say('Chorale', `HOST is ${config.HOST}: whoever reaches it can log in to the demo`)
    }
    const demo = folder.state.demo ?? (await fillDemo(steps, config))
    const owner = await firstOwner(config, folder)
    const consoleFiles = await makeConsoleFiles(join(folder.path, 'console'))
    const pages = together([await openDemoPages(demo, folder), openGuidePages()])
    const logFile = join(folder.path, 'chorale.log')
    const log = openLog(config.LOG_LEVEL, logFile)
    signal.throwIfAborted()
    progress.say('Chorale', `starting; its log is ${logFile} ...`)
    const reason = await serveUntilStopped({
      config,
      log,
      pages,
      consoleFiles,
      onStarted() {
        const started = startedAs(config, folder, demo, owner)
        folder.write('started.json', started)
        onStarted(started)
      },
    })
    progress.say('Chorale', 'stopping what was started ...')
    if (reason === 'failure') process.exitCode = 1
  } finally {
    rmSync(running, { force: true })
  }
  progress.say('Chorale', `stopped. \`chorale start\` goes on with ${folder.path}`)
}

/** As `serve` finds them: the environment, which wins, and `.env`. */
function givenSettings(): NodeJS.ProcessEnv {
  return { ...(existsSync('.env') && parseEnv(readFileSync('.env', 'utf8'))), ...process.env }
}

/** Two in one folder would start each other's engines. */
function claim(folder: DataFolder): string {
  const file = join(folder.path, 'chorale.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  if (pid > 0 && pid !== process.pid && isAlive(pid)) {
    throw new CommandError(
      `Another \`chorale start\` (process ${pid}) runs in ${folder.path}. If that process is something else, remove ${file}.`,
    )
  }
  writeFileSync(file, String(process.pid))
  return file
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function configured(steps: Steps, stack: AsyncDisposableStack): Promise<Config> {
  const { given, folder } = steps
  const DATABASE_URL = await databaseUrl(steps, stack)
  const NATS_URL = await natsUrl(steps, stack)
  const PORT = String(await portOf(steps))
  const own = { DATABASE_URL, NATS_URL, PORT }
  const { OPERATIONS_PORT = '0', CHORALE_MASTER_KEY = folder.state.masterKey } = given
  const { HOST = '127.0.0.1', CONSOLE_URL = originOf(HOST, PORT) } = given
  // A password alone will do where nobody else can reach it.
  const { CONSOLE_SECOND_FACTOR = isLoopback(HOST) ? 'optional' : 'required' } = given
  const console = { CONSOLE_URL, CONSOLE_SECOND_FACTOR }
  const files = given.FILES_S3_ENDPOINT ? {} : filesOf(folder, given, originOf(HOST, PORT))
  const rest = { ...own, ...console, ...files, OPERATIONS_PORT, CHORALE_MASTER_KEY }
  return readConfig({ ...given, ...rest }, folder.path)
}

/** Unless a bucket is named, files of messages lie beside the engines. */
function filesOf({ path }: DataFolder, given: NodeJS.ProcessEnv, origin: string) {
  const { FILES_FOLDER = join(path, 'files'), FILES_URL = origin } = given
  return { FILES_FOLDER, FILES_URL }
}

async function databaseUrl(steps: Steps, stack: AsyncDisposableStack): Promise<string> {
  const { given, folder, account, signal, progress } = steps
  if (given.DATABASE_URL) {
    progress.say('PostgreSQL', 'the one that DATABASE_URL names')
    return given.DATABASE_URL
  }
  const { engines: home, state } = folder
  const engine = await progress.step(
    'PostgreSQL',
    'looking for it',
    (say) => startPostgres({ home, password: state.databasePassword, account, signal, say }),
    ({ url }) => `ready on ${new URL(url).host}`,
  )
  stack.use(engine)
  return engine.url
}

async function natsUrl(steps: Steps, stack: AsyncDisposableStack): Promise<string> {
  const { given, folder, account, progress } = steps
  if (given.NATS_URL) {
    progress.say('NATS', 'the one that NATS_URL names')
    return given.NATS_URL
  }
  const { engines: home, state } = folder
  const engine = await progress.step(
    'NATS',
    'looking for nats-server',
    (say) => startNats({ home, password: state.natsPassword, account, say }),
    (found) => (found ? `ready on ${new URL(found.url).host}` : 'not installed'),
  )
  if (engine) {
    stack.use(engine)
    return engine.url
  }
  progress.say('NATS', `to install it: ${howToInstallNats()}; then start again.`)
  progress.say(
    'NATS',
    'Until then calls and live messages work; webhooks, push and statistics wait.',
  )
  // Nobody is there; the service goes on without it.
  return 'nats://127.0.0.1:1'
}

/** The one that was asked for, 3000, or any other that is free. */
async function portOf({ given, progress }: Steps): Promise<number> {
  const host = given.HOST ?? '127.0.0.1'
  if (given.PORT && given.PORT !== '0') return Number(given.PORT)
  // For browsers `localhost` is ::1 first: whoever listens there would get what is meant for this service.
  const isOffered = !given.PORT && !(await isAnswered(3000, '::1'))
  const wanted = isOffered ? await portThatIsFree(3000, host) : undefined
  const port = wanted ?? (await portThatIsFree(0, host))
  if (port === undefined) throw new CommandError(`No port is free on ${host}.`)
  if (!given.PORT && port !== 3000) progress.say('Chorale', `port 3000 is taken, so it is ${port}`)
  return port
}

async function fillDemo({ progress, folder, signal }: Steps, config: Config): Promise<Demo> {
  const demo = await progress.step(
    'Demo',
    'filling an app',
    () => seedDemo(config, folder, signal),
    () => demoSize,
  )
  folder.keep({ demo, unfinishedApp: undefined })
  return demo
}

function isLoopback(host: string): boolean {
  return ['127.0.0.1', '::1', 'localhost'].includes(host)
}

function originOf(host: string, port: number | string): string {
  const isByName = isLoopback(host) || ['0.0.0.0', '::'].includes(host)
  return `http://${isByName ? 'localhost' : host}:${port}`
}

function startedAs(
  config: Config,
  folder: DataFolder,
  demo: Demo,
  owner: Owner | undefined,
): Started {
  const origin = originOf(config.HOST, config.PORT)
  return {
    apiUrl: `${origin}/v3`,
    docs: config.DOCS === 'on' ? `${origin}/docs` : undefined,
    demo: `${origin}/demo`,
    console: `${config.CONSOLE_URL}/console`,
    owner,
    ...demo,
    data: folder.path,
    engines: folder.engines,
  }
}
