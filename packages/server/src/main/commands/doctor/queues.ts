import { setTimeout as after } from 'node:timers/promises'
import { measureQueues } from '../../../jobs/backlog.sql.ts'
import { measureBacklog } from '../../../outbox/backlog.ts'
import { openClearing } from '../../../outbox/clearing.ts'
import { openPublisher } from '../../../outbox/publish.ts'
import { openSweeper } from '../../../outbox/sweeper.ts'
import { unixSeconds } from '../../clock.ts'
import { queues as allQueues } from '../../queues.ts'
import { type Check, failure, ok, warning } from './check.ts'
import type { Subject } from './subject.ts'

const stuckSeconds = 60
const lateSeconds = 300
const manyAttempts = 20
const patienceMs = 300_000

const outbox: Check = {
  name: 'outbox',
  looksAt: 'nothing that was committed waits for its publication',
  needs: ['schema'],
  async run(subject) {
    const { receipts, events, oldestAt = unixSeconds() } = await measureBacklog(subject.database.db)
    const age = unixSeconds() - oldestAt
    const seen = `${receipts} outbox markers and ${events} events`
    if (age <= stuckSeconds) return ok(`${seen} wait`)
    const text = `${seen} wait to be published, the oldest since ${age} s.`
    const remedy =
      'Start `chorale serve` with a NATS that answers, or run `chorale doctor --repair`.'
    return failure(text, remedy, (report) => publishOld(subject, report))
  },
}

async function publishOld(subject: Subject, report: (line: string) => void): Promise<string> {
  await subject.connectNats()
  const { database, log, stream } = subject
  await using clearing = openClearing(database.db, log)
  await using publisher = openPublisher(stream, clearing, log)
  await using _sweeper = openSweeper({ database, stream, publisher, log, clock: unixSeconds })
  const end = Date.now() + patienceMs
  for (;;) {
    const { receipts, events, oldestAt } = await measureBacklog(database.db)
    if (oldestAt === undefined || unixSeconds() - oldestAt < stuckSeconds)
      return 'published what waited'
    if (Date.now() > end) throw new Error('Not all of it could be published: look at NATS.')
    report(`${receipts + events} left`)
    await after(500)
  }
}

const queues: Check = {
  name: 'queues',
  looksAt: 'jobs are claimed when they are due, and none is tried again and again',
  needs: ['schema'],
  async run({ database: { db } }) {
    const states = await measureQueues(db, allQueues)
    const late = states.filter(({ lateMs }) => lateMs > lateSeconds * 1000)
    if (late.length > 0) {
      const listed = late.map(
        ({ queue, due, lateMs }) => `${queue} (${due}, ${Math.round(lateMs / 1000)} s)`,
      )
      const text = `Jobs are due and nobody claims them: ${listed.join(', ')}.`
      return warning(text, 'Start `chorale serve --parts worker`, or another one.')
    }
    const stubborn = states.filter(({ attempts }) => attempts > manyAttempts)
    if (stubborn.length > 0) {
      const text = `Jobs were claimed over ${manyAttempts} times: ${stubborn.map(({ queue }) => queue).join(', ')}.`
      return warning(text, 'Look in the log of the workers for the error of this queue.')
    }
    const filled = states.filter(({ due, later }) => due + later > 0)
    return ok(
      filled.map(({ queue, due, later }) => `${queue} ${due + later}`).join(', ') || 'empty',
    )
  },
}

export const queueChecks: readonly Check[] = [outbox, queues]
