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

const operations = 100_000

test('points equal a recount after 100,000 random events, with the worker killed ten times', async () => {
  await expectExactStats(app, {
    operations,
    kills: 10,
    natsUrl,
    NATS_PREFIX,
    onProgress: console.log,
  })
}, 3_600_000)
