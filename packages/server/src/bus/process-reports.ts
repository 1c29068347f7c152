import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Bus } from './bus.ts'

/** What a process says of itself. */
export interface ProcessReport {
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly parts: readonly string[]
  /** Unix seconds. */
  readonly startedAt: number
  readonly ready: boolean
  readonly degraded: boolean
  /** Checks of its readiness that fail, each with its error. */
  readonly failing: Readonly<Record<string, string>>
  /** Null: it has no gateway. */
  readonly sockets: number | null
  /** Of all its pools. */
  readonly connections: { readonly open: number; readonly max: number; readonly waiting: number }
}

/** A process that holds its event loop for longer counts as one that is not there. */
const waitMs = 2000
const subjectOf = (prefix: string) => `${prefix}-live.processes`

/** Answers whoever asks which processes there are, for as long as the bus is open. */
export function answerWithReport(
  bus: Pick<Bus, 'onConnected'>,
  prefix: string,
  log: Logger,
  report: () => Promise<ProcessReport>,
): void {
  let current: NatsConnection | undefined
  bus.onConnected((connection) => {
    // A connection that comes back keeps its subscriptions.
    if (connection === current) return
    current = connection
    connection.subscribe(subjectOf(prefix), {
      callback: (error, message) => {
        if (error) return
        report()
          .then((made) => message.respond(JSON.stringify(made)))
          .catch((cause) => log.warn({ err: cause }, 'could not report the state of this process'))
      },
    })
  })
}

/** Every process of the install that answers, in the order of host and process id. */
export async function askProcesses(
  connection: NatsConnection,
  prefix: string,
): Promise<ProcessReport[]> {
  const reports: ProcessReport[] = []
  try {
    const answers = await connection.requestMany(subjectOf(prefix), '', {
      strategy: 'timer',
      maxWait: waitMs,
    })
    for await (const answer of answers) reports.push(answer.json<ProcessReport>())
  } catch (error) {
    // Nobody listens to the subject.
    if (!(error instanceof Error && /no responders/i.test(error.message))) throw error
  }
  return reports.sort((a, b) => a.host.localeCompare(b.host) || a.pid - b.pid)
}
