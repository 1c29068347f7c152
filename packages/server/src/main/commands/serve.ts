import cluster from 'node:cluster'
import { setTimeout as after } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../../config.ts'
import type { Pages } from '../../http/root-page.ts'
import { listeners as eventListeners } from '../../listeners.ts'
import { openWatchdog } from '../../watchdog/watchdog.ts'
import { shareOfDatabase } from '../configured-database.ts'
import { openLog } from '../log.ts'
import { allParts, type Part } from '../parts/all-parts.ts'
import { startApi } from '../parts/api-part.ts'
import { openCalls } from '../parts/calls.ts'
import { type Core, openCore } from '../parts/core.ts'
import { whenDatabaseWorks } from '../parts/database-at-start.ts'
import { buildGatewayListener, startGateway } from '../parts/gateway-part.ts'
import { type HttpListener, leave, listen } from '../parts/listener.ts'
import { openOperations } from '../parts/operations-part.ts'
import { answerStatus } from '../parts/process-report.ts'
import { startWorker } from '../parts/worker-part.ts'
import { openLink } from '../processes/link.ts'
import { processCount, superviseUntilStopped } from '../processes/processes.ts'
import { stopReason } from '../stop-reason.ts'

interface Options {
  readonly port?: number
  readonly parts: readonly Part[]
  readonly processes: 'auto' | number
}

/** A process that is replaced keeps its connections for so long: an answer tells each client to connect anew. */
const drainMs = 5000

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service: every part in one process, or the parts you name.')
    .option('--port <port>', 'port of the API (default: PORT or 3000)', readPort)
    .option('--parts <parts>', `which of ${allParts.join(', ')}`, readParts, allParts)
    .option('--processes <count>', 'how many: a number, or auto for all cores', readProcesses, 1)
    .option('--json', 'print JSON (the log always is)')
    .action(serve)
}

async function serve({ port, parts, processes: wanted }: Options): Promise<void> {
  const given = readConfig(process.env)
  const config = port === undefined ? given : { ...given, PORT: port }
  const log = openLog(config.LOG_LEVEL)
  const processes = processCount(wanted)
  if (processes > 1 && cluster.isPrimary) {
    const args = {
      first: argumentsOf(config, parts, processes),
      others: argumentsOf(config, withoutWorker(parts), processes),
    }
    process.exitCode = await superviseUntilStopped({ config, log, processes, args })
    return
  }
  try {
    const shared = shareOfDatabase(config, processes)
    const reason = await serveUntilStopped({ config: shared, log, parts, processes })
    // What was accepted is done. Whatever broke may still hold the process up.
    if (reason === 'failure') process.exit(1)
  } finally {
    // The connection to the first process would keep this one alive.
    cluster.worker?.disconnect()
  }
}

/** Of one of several processes. */
function argumentsOf({ PORT }: Config, parts: readonly Part[], processes: number): string[] {
  const named = { port: PORT, parts: parts.join(), processes }
  return ['serve', ...Object.entries(named).flatMap(([name, value]) => [`--${name}`, `${value}`])]
}

/** One process does the work behind the calls of all of them; where there are no calls, each works. */
function withoutWorker(parts: readonly Part[]): readonly Part[] {
  const others = parts.filter((part) => part !== 'worker')
  return others.length > 0 ? others : parts
}

export interface ServeOptions {
  readonly config: Config
  readonly log: Logger
  readonly parts?: readonly Part[]
  readonly processes?: number
  readonly pages?: Pages
  readonly consoleFiles?: string
  readonly onStarted?: () => void
}

/** Resolves to the reason for which it has stopped. */
export async function serveUntilStopped(options: ServeOptions) {
  const { config, log, parts = allParts, processes, pages, consoleFiles } = options
  const { stopped, watch } = stopReason(log)
  const leaving = new AbortController()
  await using core = await whenDatabaseWorks(log, stopped, () =>
    openCore({ config, log, processes, leaving: leaving.signal, pages, consoleFiles }),
  )
  if (!core) return stopped
  const { health, metrics } = core
  health.require('process', failsWith('The process is starting.'))
  // Disposed of after the parts: what a stopping process does can be watched.
  await using stack = new AsyncDisposableStack()
  const link = cluster.isWorker ? stack.use(openLink(health, metrics.registry)) : undefined
  if (!link) await listen(stack.use(openOperations(core)).listener, log)
  await using running = await startParts(core, parts)
  answerStatus(core, parts)
  watch(running.underWay)
  // Last: to build all this takes a while, and nobody waits for it yet.
  using _watchdog = openWatchdog(metrics.registry, log)
  health.require('process', async () => undefined)
  log.info({ parts }, 'started')
  link?.started()
  options.onStarted?.()
  const reason = await (link ? Promise.race([stopped, link.retired]) : stopped)
  if (reason === 'replaced') {
    log.info('replaced: no new connections, clients are told to connect anew')
    leaving.abort()
    await Promise.race([running.leave(), stopped, after(drainMs, undefined, { ref: false })])
  }
  health.require('process', failsWith('The process is stopping.'))
  log.info({ reason }, 'stopping: no new connections, accepted requests are finished')
  setTimeout(() => {
    log.error('requests did not finish within SHUTDOWN_TIMEOUT_MS; stopping now')
    process.exit(1)
  }, config.SHUTDOWN_TIMEOUT_MS).unref()
  return reason
}

async function startParts(core: Core, parts: readonly Part[]) {
  await using stack = new AsyncDisposableStack()
  const hasApi = parts.includes('api')
  const hasGateway = parts.includes('gateway')
  const calls = hasApi || hasGateway ? stack.use(await openCalls(core)) : undefined
  const listeners: HttpListener[] = []
  let left = Promise.resolve()
  // Whoever has left is no longer waited for when it closes.
  stack.defer(() => left)
  const api = hasApi && calls ? stack.use(startApi(core, calls)) : undefined
  if (api) listeners.push(api.api, ...(api.management ? [api.management] : []))
  if (hasGateway && calls) {
    // It shares the port of the API, unless it has one of its own or there is no API.
    const shared = core.config.GATEWAY_PORT === 0 ? api?.api : undefined
    const listener = shared ?? buildGatewayListener(core, calls)
    if (!shared) {
      stack.defer(() => listener.server.close())
      listeners.push(listener)
    }
    stack.use(startGateway(core, calls, listener.server))
  }
  for (const listener of listeners) await listen(listener, core.log)
  if (parts.includes('worker')) {
    stack.use(startWorker(core, { listeners: eventListeners, isAlone: !calls }))
    core.log.info({ listeners: eventListeners.map(({ name }) => name) }, 'working')
  }
  const owned = stack.move()
  return {
    underWay: () => calls?.pipeline.underWay() ?? [],
    leave() {
      left = Promise.all(listeners.map(leave)).then(() => undefined)
      return left
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function failsWith(text: string): () => Promise<void> {
  return async () => {
    throw new Error(text)
  }
}

function readProcesses(text: string): 'auto' | number {
  const count = Number(text)
  if (text === 'auto') return text
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count
  throw new InvalidArgumentError('Use auto, or a number from 1 to 256.')
}

function readPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 0 to 65535.')
}

function readParts(text: string): readonly Part[] {
  const named = text.split(',').map((part) => part.trim())
  const known = allParts.filter((part) => named.includes(part))
  if (known.length === named.length) return known
  throw new InvalidArgumentError(`Use some of: ${allParts.join(', ')}.`)
}
