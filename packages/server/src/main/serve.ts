import { Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { listeners as eventListeners } from '../listeners.ts'
import { type Assembly, assemble, openLog } from './assemble.ts'
import { stopReason } from './stop-reason.ts'

/**
 * A gateway that takes over from another gets thousands of devices at once. The kernel drops those
 * that find no place, and they try again only after seconds.
 */
const backlog = 4096

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

async function serve(options: Options): Promise<void> {
  const config = readConfig(process.env)
  const log = openLog(config.LOG_LEVEL)
  const reason = await serveUntilStopped(config, log, options)
  // What was accepted is done. Whatever broke may still hold the process up.
  if (reason === 'failure') process.exit(1)
}

async function serveUntilStopped(config: Config, log: Logger, options: Options) {
  const { stopped, watch } = stopReason(log)
  await using assembly = await assemble({
    config: options.port === undefined ? config : { ...config, PORT: options.port },
    log,
  })
  watch(() => assembly.underWay())
  const listeners = listenersOf(assembly, config, options.parts)
  for (const { server, host, port } of listeners) {
    const address = await server.listen({ host, port, backlog })
    log.info({ address, parts: options.parts }, 'listening')
  }
  if (options.parts.includes('worker')) {
    assembly.startWorker(eventListeners)
    log.info({ listeners: eventListeners.map(({ name }) => name) }, 'working')
  }
  const reason = await stopped
  log.info({ reason }, 'stopping: no new connections, accepted requests are finished')
  setTimeout(() => {
    log.error('not finished in time, stopping all the same')
    process.exit(1)
  }, config.SHUTDOWN_TIMEOUT_MS).unref()
  return reason
}

/** The gateway shares the port of the API, unless it has one of its own or there is no API. */
function listenersOf(assembly: Assembly, config: Config, parts: readonly Part[]) {
  const servers = new Set(parts.includes('api') ? assembly.servers : [])
  const shares = parts.includes('api') && config.GATEWAY_PORT === 0
  if (parts.includes('gateway')) {
    servers.add(assembly.startGateway(shares ? 'api' : 'own'))
    if (assembly.operator) servers.add(assembly.operator)
  }
  return servers
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
