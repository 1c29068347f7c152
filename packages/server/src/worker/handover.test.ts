import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, expect, inject, test } from 'vitest'
import { inHandOf, waitingIn } from '../../../testing/src/engines/event-streams.ts'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { noWakeUp } from '../../../testing/src/jobs/test-queue.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startTestApp, type TestApp } from '../../../testing/src/service/test-app.ts'
import { connectNow } from '../bus/bus.ts'
import { openDeadLetters } from '../bus/dead-letters.ts'
import { openEventStream } from '../bus/event-stream.ts'
import { openDatabase } from '../database/pool.ts'
import type { Listener } from '../outbox/listener.ts'
import { startWorker } from './worker.ts'

const wait = { timeout: 30_000, interval: 20 }
/** Less than NATS waits for messages that a process had in hand. */
const soonMs = 9000
const natsUrl = inject('natsUrl')
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

function recorder(fails: (uid: string) => boolean) {
  const tried: string[] = []
  const handled: string[] = []
  const listener: Listener = {
    name: 'records',
    on: {
      async 'user.created'({ payload: { uid } }) {
        tried.push(uid)
        if (fails(uid)) throw new Error(`cannot handle ${uid}`)
        handled.push(uid)
        return undefined
      },
    },
  }
  return { listener, tried, handled }
}

/** The install, without a worker. */
async function startInstall() {
  const prefix = natsPrefix()
  const live = { settings: { NATS_PREFIX: prefix } }
  return { prefix, app: stack.use(await startTestApp({ shadow: false, live })) }
}

/** A worker of the install as in another process. */
async function startOther(
  { databaseUrl }: TestApp,
  prefix: string,
  listener: Listener,
  nats: string,
) {
  await using started = new AsyncDisposableStack()
  const bus = started.use(await connectNow(nats))
  const stream = openEventStream(bus, { prefix, hours: 1, replicas: 1 })
  const database = started.use(
    openDatabase({
      url: databaseUrl,
      poolSize: 4,
      statementTimeoutMs: 10_000,
      onIdleError: () => undefined,
    }),
  )
  started.use(
    startWorker({
      database,
      session: database,
      stream,
      letters: openDeadLetters(stream),
      onCommit: () => undefined,
      wakeUp: noWakeUp,
      clock: () => 1_700_000_000,
      log: pino({ level: 'silent' }),
      listeners: [listener],
      concurrency: 1,
      attempts: 1000,
      retryMs: 60_000,
      hours: 1,
      keepAuditDays: 1,
      onOutcome: () => undefined,
    }),
  )
  return started.move()
}

test('what a worker had not finished when it was stopped is handled by the next one right away', async () => {
  const { app, prefix } = await startInstall()
  const first = recorder(() => true)
  {
    await using _ = await startOther(app, prefix, first.listener, natsUrl)
    await app.given.users('ann', 'bob', 'cid')
    await expect.poll(() => first.tried, wait).toEqual(['ann'])
    await expect.poll(() => waitingIn(natsUrl, prefix, 'records'), wait).toBe(3)
  }
  const stoppedAt = performance.now()
  const next = recorder(() => false)
  app.startWorker([next.listener])
  await expect.poll(() => next.handled, wait).toEqual(['ann', 'bob', 'cid'])
  expect(performance.now() - stoppedAt).toBeLessThan(soonMs)
})

test('what NATS has sent and a worker has not received when it stops is handled by the next one right away', async () => {
  const { app, prefix } = await startInstall()
  const first = recorder((uid) => uid !== 'ann')
  const nats = stack.use(await startTcpProxy(natsUrl))
  const other = stack.use(await startOther(app, prefix, first.listener, nats.url))
  await app.given.users('ann')
  await expect.poll(() => first.handled, wait).toEqual(['ann'])
  await expect.poll(() => waitingIn(natsUrl, prefix, 'records'), wait).toBe(0)
  nats.freeze()
  await app.given.users('bob', 'cid')
  await expect.poll(() => inHandOf(natsUrl, prefix, 'records'), wait).toBe(2)
  const stopped = other.disposeAsync()
  // It has asked for no more, which NATS does not know yet.
  await setImmediate()
  nats.thaw()
  await stopped
  const stoppedAt = performance.now()
  const next = recorder(() => false)
  app.startWorker([next.listener])
  await expect.poll(() => next.handled, wait).toEqual(['bob', 'cid'])
  expect(performance.now() - stoppedAt).toBeLessThan(soonMs)
})
