import { closeCodes } from '@chorale/contract/frames'
import { afterAll, describe, expect, test } from 'vitest'
import { connectDevice, type DeviceOptions } from '../testing/device.ts'
import { natsPrefix } from '../testing/nats-prefix.ts'
import { startTestApp } from '../testing/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startTestApp({
    twin: false,
    live: { gateway: true, settings: { NATS_PREFIX: natsPrefix() } },
  }),
)
const { appId, origin } = app
const full = app.as('full')

async function tokenOf(uid: string): Promise<string> {
  return (await full.createAuthToken({ params: { uid }, body: { force: true } })).data.authToken
}

async function device(uid: string, more: Partial<DeviceOptions> = {}) {
  return stack.use(await connectDevice({ origin, appId, authToken: await tokenOf(uid), ...more }))
}

const say = (from: string, to: string, text: string, receiverType: 'user' | 'group' = 'user') =>
  full.sendMessage({
    onBehalfOf: from,
    body: { receiver: to, receiverType, category: 'message', type: 'text', data: { text } },
  })

describe('messages', () => {
  test('reach both sides once and in order, the first of all included', async () => {
    await app.given.users('ann', 'bob')
    const [ann, bob] = [await device('ann'), await device('bob')]
    expect((await ann.next('welcome')).user.uid).toBe('ann')
    for (const text of ['1', '2', '3', '4', '5']) await say('ann', 'bob', text)
    for (const one of [ann, bob]) {
      await expect.poll(() => one.texts()).toEqual(['1', '2', '3', '4', '5'])
      expect(one.of('message').map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    }
    expect(closeCodes.tooSlow).toBe(4001)
  })
})
