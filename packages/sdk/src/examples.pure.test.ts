import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { changedFrame, messageFrame, messageOf } from './testing/fixture.ts'
import { startScriptedServer } from './testing/scripted-server.ts'

/** An example as a reader would start it; its lines as they come. */
function start(name: string, args: readonly string[], env: Record<string, string>) {
  const file = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env } })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    line: async () => (await lines.next()).value,
    [Symbol.dispose]: () => void child.kill(),
  }
}

test('chat.ts sends a message and prints what it hears', async () => {
  await using server = await startScriptedServer()
  const env = { REALTIME_URL: server.url, APP_ID: 'app1', AUTH_TOKEN: 'token' }
  using chat = start('chat.ts', ['bob', 'hello'], env)
  const peer = await server.accept()
  await peer.welcome()
  const call = await peer.answer('sendMessage', { data: messageOf(7) })
  expect(call.input?.body).toMatchObject({ receiver: 'bob', data: { text: 'hello' } })
  expect(await chat.line()).toBe('stored as 1007')
  peer.say(messageFrame(8))
  expect(await chat.line()).toBe('bob: number 8')
  // An edit is an entry, and changes another one.
  peer.say(messageFrame(9, { category: 'action', type: 'message', data: { action: 'edited' } }))
  peer.say(changedFrame(8, 9, 'number eight'))
  expect(await chat.line()).toBe('changed: bob: number eight')
  peer.say(messageFrame(10, { type: 'image', data: {} }))
  expect(await chat.line()).toBe('bob: (image)')
})

test('auth-token.ts prints an auth token', async () => {
  const heard: unknown[] = []
  const server = createServer(({ method, url, headers }, response) => {
    heard.push([method, url, headers.appid, headers.apikey])
    response.end(JSON.stringify({ data: { authToken: 'ann_1' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const env = { API_URL: `http://127.0.0.1:${port}/v3`, APP_ID: 'app1', API_KEY: 'key' }
  using example = start('auth-token.ts', ['ann'], env)
  expect(await example.line()).toBe('ann_1')
  expect(heard).toEqual([['POST', '/v3/users/ann/auth_tokens', 'app1', 'key']])
  server.close()
})
