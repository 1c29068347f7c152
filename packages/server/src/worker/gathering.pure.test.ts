import { expect, test } from 'vitest'
import type { HeardEvent } from '../outbox/listener.ts'
import { openGathering } from './gathering.ts'

const event = (id: string): HeardEvent<'user.created'> => ({
  id,
  name: 'user.created',
  at: 1,
  payload: { uid: id },
})

/** Handlings by app and ids of events; each ends when it is told how. */
function gathering() {
  const handlings: string[][] = []
  const ends: ((handled: boolean) => void)[] = []
  const stopping = new AbortController()
  const { add } = openGathering((appId, events) => {
    handlings.push([appId, ...events.map(({ id }) => id)])
    return new Promise((resolve) => ends.push(resolve))
  }, stopping.signal)
  const stop = () => stopping.abort()
  return {
    handlings,
    ends,
    stop,
    add: (appId: string, ...ids: string[]) => add(appId, ids.map(event)),
  }
}

test('a lone message is handled at once, and what comes meanwhile is handled together', async () => {
  const { handlings, ends, add } = gathering()
  const first = add('one', 'a')
  const others = [add('one', 'b', 'c'), add('one', 'd')]
  expect(handlings).toEqual([['one', 'a']])
  ends[0]?.(true)
  expect(await first).toBe(true)
  await expect.poll(() => handlings).toHaveLength(2)
  expect(handlings[1]).toEqual(['one', 'b', 'c', 'd'])
  ends[1]?.(false)
  expect(await Promise.all(others)).toEqual([false, false])
})

test('an app does not wait for another', async () => {
  const { handlings, add } = gathering()
  void add('one', 'a')
  void add('two', 'b')
  expect(handlings).toEqual([
    ['one', 'a'],
    ['two', 'b'],
  ])
})

test('there is a limit to what is handled at once, and all of it is handled', async () => {
  const { handlings, ends, add } = gathering()
  const names = Array.from({ length: 900 }, (_, n) => `${n}`)
  void add('one', 'first')
  for (let n = 0; n < 9; n++) void add('one', ...names.slice(100 * n, 100 * n + 100))
  for (let n = 0; n < 3; n++) {
    await expect.poll(() => ends).toHaveLength(n + 1)
    ends[n]?.(true)
  }
  expect(handlings.map((one) => one.length - 1)).toEqual([1, 500, 400])
  expect(handlings.slice(1).flatMap(([, ...ids]) => ids)).toEqual(names)
})

test('when the process stops, nobody waits for a handling that has not begun', async () => {
  const { handlings, ends, stop, add } = gathering()
  const first = add('one', 'a')
  const second = add('one', 'b')
  stop()
  expect(await second).toBe(false)
  expect(await add('two', 'c')).toBe(false)
  ends[0]?.(true)
  expect(await first).toBe(true)
  expect(handlings).toEqual([['one', 'a']])
})
