import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { indexMessages } from '../messages/search/index.ts'
import { countEvents } from '../stats/index.ts'

const noon = Date.UTC(2026, 4, 17, 12, 2, 30) / 1000
const app = await startTestApp({
  shadow: false,
  clock: () => noon,
  live: { listeners: [indexMessages, countEvents], settings: { NATS_PREFIX: natsPrefix() } },
})
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const wait = { timeout: 20_000 }

test('imported messages are found by their words, and counted at the time at which they were sent', async () => {
  await app.given.users('ann', 'bob')
  const sentAt = noon - 1800
  const one = { sender: 'ann', receiver: 'bob', receiverType: 'user', sentAt } as const
  const messages = { old: { ...one, muid: 'old', data: { text: 'a walrus' } } }
  await full.importMessages({ body: { messages } })
  const found = async () => {
    const query = { searchKey: 'walrus' }
    const params = { uid: 'bob' }
    const { data } = await full.listUserMessages({ onBehalfOf: 'ann', params, query })
    return data.map((entry) => 'muid' in entry && entry.muid)
  }
  await expect.poll(found, wait).toEqual(['old'])
  const counted = async () => {
    const { dataPoints } = (await full.getMessageStats({ query: {} })).data
    return dataPoints.filter(({ messagesSent }) => messagesSent > 0)
  }
  const startTime = String((sentAt - (sentAt % 300)) * 1000)
  await expect.poll(counted, wait).toMatchObject([{ startTime, messagesSent: 1 }])
})
