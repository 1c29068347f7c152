import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connect } from '../index.ts'
import { openFixture } from '../testing/fixture.ts'

const refusal = (code: string) =>
  ({ type: 'refusal', error: { code, message: code, devMessage: '' } }) as const

test('every state says why', async () => {
  await using fixture = await openFixture()
  const reasons = () => fixture.heard('connection').map(({ state, reason }) => [state, reason])
  const first = await fixture.server.accept()
  await first.welcome()
  first.drop()
  const second = await fixture.server.accept()
  await second.welcome()
  second.close(4500)
  const third = await fixture.server.accept()
  await third.next('auth')
  third.sayText('<html>')
  const fourth = await fixture.server.accept()
  await fourth.next('auth')
  fourth.say(refusal('AUTH_ERR_EMPTY_APPID'))
  fourth.close(4401)
  await expect.poll(() => fixture.session.connection.state).toBe('closed')
  expect(reasons()).toEqual([
    ['online', 'signedIn'],
    ['waiting', 'lost'],
    ['connecting', 'retry'],
    ['online', 'signedIn'],
    ['waiting', 'overloaded'],
    ['connecting', 'retry'],
    ['waiting', 'badAnswer'],
    ['connecting', 'retry'],
    ['closed', 'missingAppId'],
  ])
  expect(fixture.session.connection).toMatchObject({
    code: 4401,
    error: { name: 'ChoraleError', code: 'AUTH_ERR_EMPTY_APPID' },
  })
})

test('a token that is not taken is asked for once more, and then it is over', async () => {
  const tokens = ['old', 'new', 'other', 'last']
  await using fixture = await openFixture({ authToken: () => tokens.shift() ?? 'none' })
  const refuse = async (token: string) => {
    const peer = await fixture.server.accept()
    expect((await peer.next('auth')).authToken).toBe(token)
    peer.say(refusal('AUTH_ERR_AUTH_TOKEN_NOT_FOUND'))
    peer.close(4401)
  }
  await refuse('old')
  const peer = await fixture.server.accept()
  expect((await peer.welcome()).authToken).toBe('new')
  expect(fixture.heard('connection')[0]).toMatchObject({ state: 'waiting', reason: 'newToken' })
  peer.close(4401)
  await refuse('other')
  await expect.poll(() => fixture.session.connection.reason).toBe('notAuthenticated')
  expect(tokens).toEqual(['last'])
})

test('a path that does not exist ends the attempts; an address where nobody is does not', async () => {
  const server = createServer((_, response) => void response.writeHead(404).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/nowhere`
  const options = { url, authToken: 't', backoff: { baseMs: 1, maxMs: 5 } }
  const lost = connect(options)
  await expect.poll(() => lost.connection).toMatchObject({ reason: 'wrongPath', code: 404 })
  const sent = () => lost.send({ receiver: 'bob', receiverType: 'user', data: { text: 'x' } })
  expect(sent).toThrow(/closed/)

  server.close()
  server.closeAllConnections()
  const alone = connect(options)
  const reasons: string[] = []
  alone.on('connection', ({ state, reason }) => reasons.push(`${state} ${reason}`))
  await expect.poll(() => reasons.length).toBeGreaterThan(12)
  expect(new Set(reasons)).toEqual(new Set(['waiting unreachable', 'connecting retry']))
  alone.close()
})

test('a call can be aborted, has its own time, and is repeated if it only reads', async () => {
  await using fixture = await openFixture()
  const { call } = fixture.session
  const peer = await fixture.server.accept()
  await peer.welcome()
  await expect(call('getMe', {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' })
  const controller = new AbortController()
  const asked = call('getMe', {}, { signal: controller.signal })
  controller.abort()
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })

  const read = call('listGroups', {}, { retries: 1 })
  const write = call('updateMe', { body: { name: 'x' } }, { retries: 1 })
  await expect.poll(async () => (await peer.next('call')).operation).toBe('updateMe')
  peer.drop()
  await expect(write).rejects.toMatchObject({ code: 'connectionLost' })
  const next = await fixture.server.accept()
  await next.welcome()
  await next.answer('listGroups', { data: [] })
  expect(await read).toEqual({ data: [] })
})
