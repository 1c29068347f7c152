import { afterAll, inject, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { expectExactStats } from '../../../../testing/src/recovery/recount.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const natsUrl = inject('natsUrl')
const NATS_PREFIX = natsPrefix()
const app = await startTestApp({
  shadow: false,
  sockets: false,
  live: { settings: { NATS_PREFIX } },
})
afterAll(() => app[Symbol.asyncDispose]())

test('points equal a recount after 1,000 random events, with the worker killed', async () => {
  await expectExactStats(app, { operations: 1000, kills: 1, natsUrl, NATS_PREFIX })
}, 300_000)
