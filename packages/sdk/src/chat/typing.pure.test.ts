import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openOwnTyping, openTypingUsers } from './typing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('keys are told of now and then, and the end comes by itself', () => {
  const said: string[] = []
  const typing = openOwnTyping((state) => said.push(state))
  for (let key = 0; key < 40; key++) {
    typing.press()
    vi.advanceTimersByTime(100)
  }
  expect(said).toEqual(['started', 'started'])
  vi.advanceTimersByTime(4899)
  expect(said).toHaveLength(2)
  vi.advanceTimersByTime(1)
  expect(said).toEqual(['started', 'started', 'ended'])
  typing.end()
  expect(said).toHaveLength(3)
})

test('who goes without a word does not type for ever; who goes on typing does', () => {
  const { live, hear } = openTypingUsers(() => undefined)
  hear('ann', 'started')
  hear('bob', 'started')
  vi.advanceTimersByTime(6000)
  hear('ann', 'started')
  const before = live.getSnapshot()
  expect(before).toEqual(['ann', 'bob'])
  vi.advanceTimersByTime(999)
  expect(live.getSnapshot()).toBe(before)
  vi.advanceTimersByTime(1)
  expect(live.getSnapshot()).toEqual(['ann'])
  vi.advanceTimersByTime(6000)
  expect(live.getSnapshot()).toEqual([])
})
