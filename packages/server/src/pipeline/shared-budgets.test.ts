import { afterAll, expect, inject, test } from 'vitest'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { startServing } from '../../../testing/src/processes/program.ts'
import { type AppKeys, startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

test('H4: a budget is that of the install, also where two processes serve it', {
  timeout: 300_000,
}, async () => {
  const prefix = natsPrefix()
  const app = stack.use(
    await startTestApp({ shadow: false, live: { settings: { NATS_PREFIX: prefix } } }),
  )
  const settings = {
    DATABASE_URL: app.databaseUrl,
    NATS_URL: inject('natsUrl'),
    NATS_PREFIX: prefix,
    CHORALE_MASTER_KEY: app.masterKey,
  }
  const other = stack.use(await startServing(settings, '--parts', 'api'))
  const call = async (origin: string, { appId, full: apikey }: AppKeys) => {
    const { status, headers } = await send(origin, {
      path: '/v3/roles',
      headers: { appId, apikey },
    })
    return { status, remaining: Number(headers['x-rate-limit-remaining']) }
  }

  // They know of each other once each counts what the other has taken.
  const limit = (await call(app.origin, app.keys)).remaining + 1
  const othersTakenAt = (origin: string, ownBefore: number) => {
    let own = ownBefore
    return async () => {
      own++
      return limit - (await call(origin, app.keys)).remaining - own
    }
  }
  for (const [origin, ownBefore] of [
    [other.origin, 0],
    [app.origin, 1],
  ] as const) {
    const othersTaken = othersTakenAt(origin, ownBefore)
    await expect.poll(othersTaken, { timeout: 60_000 }).toBeGreaterThan(0)
  }

  const budget = 200
  const drainBoth = async () => {
    const keys = await app.anotherApp()
    await app.as('full').mapAppSettings({
      params: { appId: keys.appId },
      body: { settings: { 'rateLimits.standard': budget } },
    })
    const drain = async (origin: string): Promise<number> => {
      for (let admitted = 0; ; admitted++) {
        if ((await call(origin, keys)).status === 429) return admitted
      }
    }
    const start = performance.now()
    const [here = 0, there = 0] = await Promise.all([drain(app.origin), drain(other.origin)])
    return { admitted: here + there, ms: performance.now() - start }
  }
  // A machine so busy that the minute of the budget passes meanwhile tries again.
  let drained = await drainBoth()
  while (drained.ms > 50_000) drained = await drainBoth()
  expect(drained.admitted).toBeGreaterThanOrEqual(budget)
  // A twentieth, and what a busy machine admits while a message is on its way.
  expect(drained.admitted).toBeLessThanOrEqual(budget * 1.25)
})
