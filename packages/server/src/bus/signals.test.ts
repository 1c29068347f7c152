import { pino } from 'pino'
import { afterAll, expect, inject, test } from 'vitest'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { type Bus, connectBus } from './bus.ts'
import { openSignals } from './signals.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const log = pino({ level: 'silent' })
const prefix = natsPrefix()

/** A process with signals, and what it heard of `news`. */
async function startProcess() {
  const bus = stack.use(connectBus(inject('natsUrl'), log))
  const signals = openSignals(bus, prefix, log)
  const heard: string[] = []
  signals.listen('news', (text) => heard.push(text))
  await expect.poll(() => bus.connection).toBeDefined()
  await signals.settled()
  return { signals, heard }
}

test('whoever publishes hears it once, and so does every other process', async () => {
  const [one, two] = [await startProcess(), await startProcess()]
  for (const text of ['1', '2']) one.signals.publish('news', text)
  two.signals.publish('news', '3')
  // NATS keeps the order of a connection: an echo would come before its answer.
  for (const { signals } of [one, two, one, two]) await signals.settled()
  for (const { heard } of [one, two]) {
    await expect.poll(() => heard.toSorted()).toEqual(['1', '2', '3'])
  }
})

test('while NATS is away a process still hears itself, unless it has stopped listening', async () => {
  const bus: Pick<Bus, 'connection' | 'onConnected'> = {
    connection: undefined,
    onConnected: () => undefined,
  }
  const signals = openSignals(bus, prefix, log)
  const heard: string[] = []
  const stop = signals.listen('news', (text) => heard.push(text))
  signals.publish('news', '1')
  expect(heard).toEqual([])
  await expect.poll(() => heard).toEqual(['1'])
  signals.publish('news', '2')
  stop()
  await new Promise(setImmediate)
  expect(heard).toEqual(['1'])
})
