import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type Msg } from '@nats-io/transport-node'
import { afterAll, expect, inject, test } from 'vitest'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { openAcknowledged } from './acknowledged.ts'
import { isNatsAway } from './errors.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const natsUrl = inject('natsUrl')
const name = natsPrefix()
const body = Buffer.from('hello')

async function connected() {
  const connection = await connect({ servers: natsUrl, noEcho: true })
  stack.defer(() => connection.close())
  return connection
}

const connection = await connected()
const publish = openAcknowledged(connection, 300)
const { streams } = await jetstreamManager(connection)
await streams.add({ name, subjects: [`${name}.stored`] })
stack.defer(async () => {
  await streams.delete(name)
})

test('what is published is stored, and a repeat is dropped', async () => {
  const ids = Array.from({ length: 50 }, (_, nth) => `id-${nth}`)
  await Promise.all([...ids, ...ids].map((id) => publish(`${name}.stored`, body, id)))
  expect((await streams.info(name)).state.messages).toBe(ids.length)
})

test('a stream that refuses is heard', async () => {
  await streams.update(name, { max_msg_size: 100 })
  const large = publish(`${name}.stored`, Buffer.alloc(200), 'large')
  await expect(large).rejects.toThrow('message size exceeds maximum allowed')
})

test('where no stream takes the subject, it is said at once', async () => {
  const error = await publish(`${name}.nowhere`, body, 'one').catch((error: unknown) => error)
  expect(String(error)).toContain(`no responders: '${name}.nowhere'`)
  expect(isNatsAway(error)).toBe(true)
})

test('an answer that comes too late settles nobody else', async () => {
  const silent = await connected()
  const asked: Msg[] = []
  silent.subscribe(`${name}.silent`, { callback: (_, message) => void asked.push(message) })
  await silent.flush()
  const overdue = { name: 'TimeoutError' }
  await expect(publish(`${name}.silent`, body, 'one')).rejects.toMatchObject(overdue)
  // It has the place of the first.
  const second = publish(`${name}.silent`, body, 'two')
  await expect.poll(() => asked.length).toBe(2)
  asked[0]?.respond('{"stream":"late","seq":1}')
  await expect(second).rejects.toMatchObject(overdue)
})

test('whoever waits is told that the connection is closed', async () => {
  const short = await connected()
  const silent = await connected()
  silent.subscribe(`${name}.silent`, { callback: () => undefined })
  await silent.flush()
  const waiting = openAcknowledged(short, 60_000)(`${name}.silent`, body, 'one')
  await Promise.all([expect(waiting).rejects.toThrow('NATS is away.'), short.close()])
})
