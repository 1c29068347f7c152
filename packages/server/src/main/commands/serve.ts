import { Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../../config.ts'
import { listeners as eventListeners } from '../../listeners.ts'
import { openWatchdog } from '../../watchdog/watchdog.ts'
import { openLog } from '../log.ts'
import { startApi } from '../parts/api-part.ts'
import { openCalls } from '../parts/calls.ts'
import { type Core, openCore } from '../parts/core.ts'
import { buildGatewayListener, startGateway } from '../parts/gateway-part.ts'
import { type HttpListener, listen } from '../parts/listener.ts'
import { openOperations } from '../parts/operations-part.ts'
import { startWorker } from '../parts/worker-part.ts'
import { stopReason } from '../stop-reason.ts'

const parts = ['api', 'gateway', 'worker'] as const
type Part = (typeof parts)[number]

interface Options {
  readonly port?: number
  readonly parts: readonly Part[]
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service: every part in one process, or the parts you name.')
    .option('--port <port>', 'port of the API (default: PORT or 3000)', readPort)
    .option('--parts <parts>', `which of ${parts.join(', ')}`, readParts, parts)
    .option('--json', 'print JSON (the log always is)')
    .action(serve)
}

async function serve({ port, parts }: Options): Promise<void> {
  const config = readConfig(process.env)
  const log = openLog(config.LOG_LEVEL)
  const at = port === undefined ? config : { ...config, PORT: port }
  const reason = await serveUntilStopped(at, log, parts)
  // What was accepted is done. Whatever broke may still hold the process up.
  if (reason === 'failure') process.exit(1)
}

async function serveUntilStopped(config: Config, log: Logger, parts: readonly Part[]) {
  const { stopped, watch } = stopReason(log)
  await using core = await openCore({ config, log })
  const { health, metrics } = core
  health.require('process', failsWith('The process is starting.'))
  // Disposed of after the parts: what a stopping process does can be watched.
  await using operations = openOperations(core)
  await listen(operations.listener, log)
  await using running = await startParts(core, parts)
  watch(running.underWay)
  // Last: to build all this takes a while, and nobody waits for it yet.
  using _watchdog = openWatchdog(metrics.registry, log)
  health.require('process', async () => undefined)
  log.info({ parts }, 'started')
  const reason = await stopped
  health.require('process', failsWith('The process is stopping.'))
  log.info({ reason }, 'stopping: no new connections, accepted requests are finished')
  setTimeout(() => {
    log.error('not finished in time, stopping all the same')
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
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function failsWith(text: string): () => Promise<void> {
  return async () => {
    throw new Error(text)
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 0 to 65535.')
}

function readParts(text: string): readonly Part[] {
  const named = text.split(',').map((part) => part.trim())
  const known = parts.filter((part) => named.includes(part))
  if (known.length === named.length) return known
  throw new InvalidArgumentError(`Use some of: ${parts.join(', ')}.`)
}
