import { restClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { settingsFor, startServing } from '../../../../../testing/src/processes/program.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
await app.given.users('ann', 'bob')

const trace = new URL('../../../../../testing/src/processes/trace-collections.ts', import.meta.url)
const warmUp = 300
const sends = 1800
const atOnce = 10

/** A collection of young objects copies what lives on, while no call is answered. */
test('what a send makes does not reach the old space', async () => {
  const settings = {
    ...settingsFor(app.databaseUrl),
    CHORALE_MASTER_KEY: app.masterKey,
    NODE_OPTIONS: `--import=${trace.href}`,
  }
  await using serving = await startServing(settings, '--parts', 'api')
  const { appId, keys } = app
  const calls = restClient({ baseUrl: `${serving.origin}/v3`, appId, apiKey: keys.full })
  const body = { receiver: 'bob', receiverType: 'user', data: { text: 'hello' } } as const
  const send = async (times: number) => {
    let left = times
    const sender = async () => {
      while (left-- > 0) await calls.sendMessage({ onBehalfOf: 'ann', body })
    }
    await Promise.all(Array.from({ length: atOnce }, sender))
  }
  const promoted = () => {
    const lines = serving.output().matchAll(/"gc":"s",.*?"promoted":(\d+)/g)
    return Array.from(lines, ([, bytes]) => Number(bytes))
  }
  await send(warmUp)
  // Whatever lives at this moment is in the old space from here on.
  serving.signal('SIGUSR2')
  await serving.said('all is collected')
  const before = promoted()
  await send(sends)
  const during = promoted().slice(before.length)
  expect(during.length).toBeGreaterThan(1)
  const perSend = during.reduce((sum, bytes) => sum + bytes, 0) / sends
  expect(perSend).toBeLessThan(220)
  expect(serving.output()).not.toContain('pretenuring: ')
}, 120_000)
