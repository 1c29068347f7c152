import { afterAll, expect, test, vi } from 'vitest'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { listeners } from '../../../listeners.ts'

const live = { listeners, settings: { NATS_PREFIX: natsPrefix() } }
const app = await startTestApp({ shadow: false, live })
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
await app.given.users('ann', 'bob', 'cat', 'eve')
await calls.createGroup({
  body: {
    guid: 'tea',
    name: 'Tea',
    type: 'public',
    owner: 'ann',
    members: { participants: ['bob', 'eve'] },
  },
})

async function say(onBehalfOf: string, receiver: string, text: string): Promise<string> {
  const receiverType = receiver === 'tea' ? 'group' : 'user'
  const body = { receiver, receiverType, data: { text } } as const
  const { data } = await calls.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}

const said = {
  lunch: await say('ann', 'bob', 'Shall we have lunch at noon?'),
  again: await say('bob', 'ann', 'Lunch again, at one'),
  secret: await say('bob', 'cat', 'A secret lunch'),
  tokyo: await say('ann', 'tea', '明日は東京で会いましょう'),
  beijing: await say('bob', 'tea', '我们在北京吃午饭'),
  cafe: await say('bob', 'tea', 'Ein Café in der Straße'),
}
const nameOf = new Map(Object.entries(said).map(([name, id]) => [id, name]))

type Found = (string | undefined)[]
const namesIn = ({ data }: { data: readonly unknown[] }): Found =>
  data.map((row) => nameOf.get((row as { id: string }).id))

async function find(searchKey: string, onBehalfOf?: string, more: object = {}): Promise<Found> {
  const query = { searchKey, limit: 100, ...more }
  return namesIn(await calls.listMessages({ query, ...(onBehalfOf && { onBehalfOf }) }))
}

/** The index follows a moment behind. */
const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 })

test('a message is found soon after it was sent, by any of its words, in any script', async () => {
  await soon(async () => expect(await find('strasse')).toEqual(['cafe']))
  await soon(async () => expect(await find('lunch')).toEqual(['lunch', 'again', 'secret']))
  expect(await find('noon lun')).toEqual(['lunch'])
  expect(await find('东京')).toEqual([])
  expect(await find('東京')).toEqual(['tokyo'])
  expect(await find('北京')).toEqual(['beijing'])
  expect(await find('午')).toEqual(['beijing'])
  expect(await find('cafe')).toEqual(['cafe'])
  expect(await find('dinner')).toEqual([])
})

test('only those find it who may see it', async () => {
  expect(await find('lunch', 'ann')).toEqual(['lunch', 'again'])
  expect(await find('lunch', 'cat')).toEqual(['secret'])
  expect(await find('lunch', 'eve')).toEqual([])
  expect(await find('東京', 'eve')).toEqual(['tokyo'])
  expect(await find('東京', 'cat')).toEqual([])
  const params = { guid: 'tea' }
  await calls.kickMember({ params: { ...params, uid: 'eve' } })
  expect(await find('東京', 'eve')).toEqual([])
  await calls.resetGroupConversation({ params, onBehalfOf: 'bob' })
  expect(await find('東京', 'bob')).toEqual([])
  expect(await find('東京', 'ann')).toEqual(['tokyo'])
})

test('it is sought in one conversation, and together with other filters', async () => {
  const query = { searchKey: 'lunch', limit: 10 }
  const ofBob = await calls.listUserMessages({ params: { uid: 'bob' }, query, onBehalfOf: 'ann' })
  expect(namesIn(ofBob)).toEqual(['lunch', 'again'])
  const inTea = { searchKey: '東京' }
  expect(namesIn(await calls.listGroupMessages({ params: { guid: 'tea' }, query: inTea }))).toEqual(
    ['tokyo'],
  )
  expect(await find('lunch', 'ann', { sender: 'bob' })).toEqual(['again'])
  expect(await find('lunch', 'bob', { unread: true })).toEqual(['lunch'])
  expect(await find('lunch', undefined, { limit: 1 })).toEqual(['secret'])
  expect(await find('lunch', undefined, { id: said.secret })).toEqual(['lunch', 'again'])
  const forth = find('lunch', 'ann', { affix: 'append', id: said.lunch })
  await expect(forth).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
})

test('what was edited is found by its new words, what was deleted not at all', async () => {
  const params = { id: said.again }
  await calls.editMessage({ params, body: { data: { text: 'Dinner then' } }, onBehalfOf: 'bob' })
  expect(await find('lunch', 'ann')).toEqual(['lunch'])
  await soon(async () => expect(await find('dinner', 'ann')).toEqual(['again']))
  await calls.deleteMessage({ params, onBehalfOf: 'bob' })
  expect(await find('dinner', 'ann')).toEqual([])
})
