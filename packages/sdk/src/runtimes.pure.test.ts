import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type * as sdk from './index.ts'
import { bundle } from './testing/bundle.ts'
import { messageFrame, messageOf } from './testing/fixture.ts'
import { startScriptedServer } from './testing/scripted-server.ts'

// Where there is less than in Node: a context has the language, and only the globals it is given.

const { code } = await bundle('*', 'iife')

/** What Hermes, the engine of React Native, does not have. */
const missing = `
  delete Promise.withResolvers
  delete Promise.try
  delete Array.fromAsync
  delete Object.groupBy
  delete Map.groupBy
  delete Iterator
  for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with']) delete Array.prototype[name]
  for (const name of ['union', 'difference', 'intersection']) delete Set.prototype[name]
`

function load(globals: Readonly<Record<string, unknown>>): typeof sdk {
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval }
  const context = createContext({ ...timers, console, ...globals })
  runInContext(missing, context)
  const absent = ['URL', 'URLSearchParams', 'window', 'document', 'navigator', 'localStorage']
  const found = runInContext(`(${JSON.stringify(absent)}).filter((n) => n in globalThis)`, context)
  expect([...found]).toEqual([])
  return runInContext(`${code}; chorale`, context)
}

/** A plain HTTP page has chance, but no `randomUUID`; stock React Native has neither. */
const runtimes = [
  ['React Native', { WebSocket, fetch }],
  [
    'a page on plain HTTP',
    { WebSocket, fetch, crypto: { getRandomValues: crypto.getRandomValues.bind(crypto) } },
  ],
] as const

test.for(runtimes)('a chat works in %s', async ([, globals]) => {
  const { createChat } = load(globals)
  await using server = await startScriptedServer()
  const chat = createChat({ url: server.url, appId: 'app 1', authToken: 'token' })
  const { messages, send } = chat.conversation({ receiver: 'bob', receiverType: 'user' })
  messages.subscribe(() => undefined)
  const first = send('hello')
  const second = send({ text: 'again' })
  const clientIds = [first.clientId, second.clientId]
  expect(new Set(clientIds).size).toBe(2)
  for (const id of clientIds) expect(id).toMatch(/^[0-9a-f-]{32,60}$/)

  const peer = await server.accept()
  expect(peer.path).toBe('/v3/realtime?appId=app%201')
  await peer.welcome()
  await peer.answer('listUserMessages', { data: [messageOf(1)], meta: {} })
  const sent = await peer.answer('sendMessage', {
    data: messageOf(2, { sender: 'ann', receiver: 'bob', muid: first.clientId }),
  })
  expect(sent.input?.body).toMatchObject({ muid: first.clientId, data: { text: 'hello' } })
  peer.say(messageFrame(3))
  const shown = () => [...messages.getSnapshot().items].map(({ id, key }) => id ?? key)
  await expect.poll(shown).toEqual(['1001', '1002', '1003', second.clientId])
  chat.close()
  await expect(second.stored).rejects.toMatchObject({ code: 'closed' })
})

test('calls work where there is no URLSearchParams', async () => {
  const asked: string[] = []
  const { deviceClient } = load({
    AbortController,
    fetch: async (url: string) => {
      asked.push(url)
      return new Response('{"data":[]}')
    },
  })
  const client = deviceClient({ baseUrl: 'http://chat.example/v3', authToken: 't' })
  await client.listUsers({ query: { searchKey: 'a&b', uids: ['x', 'y'], perPage: 5 } })
  expect(asked).toEqual(['http://chat.example/v3/users?searchKey=a%26b&uids=x&uids=y&perPage=5'])
})
