/**
 * A worker that dies: `node dying-worker.ts before` while it handles an event, `after` between the
 * commit and the acknowledgement.
 */
import { pino } from 'pino'
import { connectNow } from '../../../server/src/bus/bus.ts'
import { openDeadLetters } from '../../../server/src/bus/dead-letters.ts'
import { openEventStream } from '../../../server/src/bus/event-stream.ts'
import { openDatabase } from '../../../server/src/database/pool.ts'
import { startWorker } from '../../../server/src/worker/worker.ts'
import { noWakeUp } from '../jobs/test-queue.ts'
import { echoListener } from './echo-listener.ts'

const [, , moment] = process.argv
const { DATABASE_URL = '', NATS_URL = '', NATS_PREFIX = '' } = process.env
const bus = await connectNow(NATS_URL)
const stream = openEventStream(bus, { prefix: NATS_PREFIX, hours: 1, replicas: 1 })
async function die(): Promise<undefined> {
  process.kill(process.pid, 'SIGKILL')
}

const database = openDatabase({
  url: DATABASE_URL,
  poolSize: 4,
  statementTimeoutMs: 10_000,
  onIdleError: (error) => console.error(error),
})

startWorker({
  database,
  session: database,
  stream,
  letters: openDeadLetters(stream),
  // Is called right after the commit.
  onCommit: die,
  wakeUp: noWakeUp,
  clock: () => Math.floor(Date.now() / 1000),
  log: pino({ level: 'warn' }),
  onOutcome: () => undefined,
  listeners: [moment === 'after' ? echoListener : { ...echoListener, on: { 'user.created': die } }],
  concurrency: 1,
  attempts: 1,
  retryMs: 10,
  hours: 1,
  keepAuditDays: 400,
})
