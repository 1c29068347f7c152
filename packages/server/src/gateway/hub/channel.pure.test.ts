import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Channel, type Heard, type Listener } from './channel.ts'

const message = (seq: number): Heard => ({ bytes: Buffer.from(`m${seq} `), seq })
const changed = (change: number): Heard => ({ bytes: Buffer.from(`c${change} `), change })

function listener(uid = 'ann'): Listener & { heard: string; writes: number } {
  return {
    uid,
    heard: '',
    writes: 0,
    write(frames) {
      this.heard += frames.toString()
      this.writes++
    },
    unfollow: () => undefined,
  }
}

// Only the test says how long something takes.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('what came while a listener read the log follows, where it is newer', () => {
  const channel = new Channel(0)
  const ann = listener()
  channel.wait(ann)
  channel.send([message(1), message(2), changed(1), changed(2), message(3)])
  channel.passed({ seq: 3, change: 2 })
  expect(ann.heard).toBe('')
  expect(channel.admit(ann, { seq: 2, change: 1 })).toBe(true)
  channel.send([message(4)])
  expect(ann.heard).toBe('c2 m3 m4 ')
})

test('a listener that has read more than was passed on hears nothing twice', () => {
  const channel = new Channel(1000)
  const [ann, bob] = [listener(), listener('bob')]
  channel.wait(bob)
  channel.admit(bob, { seq: 0, change: 0 })
  channel.wait(ann)
  channel.admit(ann, { seq: 3, change: 1 })
  channel.send([message(1), message(2)])
  channel.passed({ seq: 2, change: 0 })
  channel.send([message(3), message(4), changed(1)])
  channel.passed({ seq: 4, change: 1 })
  channel.send([message(5)])
  channel.flush()
  expect(ann.heard).toBe('m4 m5 ')
  expect(bob.heard).toBe('m1 m2 m3 m4 c1 m5 ')
})

test('a lone frame is written at once; under load, many in one write and in order', () => {
  const channel = new Channel(5)
  const ann = listener()
  channel.wait(ann)
  channel.admit(ann, { seq: 0, change: 0 })
  channel.send([message(1)])
  expect(ann.writes).toBe(1)
  for (let seq = 2; seq <= 50; seq++) channel.send([message(seq)])
  expect(ann.writes).toBe(1)
  vi.advanceTimersByTime(5)
  expect(ann.heard.split(' ')).toHaveLength(51)
  expect(ann.writes).toBe(2)
  channel.send([message(51), message(52)])
  channel.sendTo([message(53)], ({ uid }) => uid === 'ann')
  expect(ann.heard).toMatch(/m50 m51 m52 m53 $/)
})

test('a conversation whose writes take long leaves as long to others', () => {
  const channel = new Channel(1)
  const slow = listener()
  const { write } = slow
  slow.write = (frames, count) => {
    write.call(slow, frames, count)
    vi.advanceTimersByTime(40)
  }
  channel.wait(slow)
  channel.admit(slow, { seq: 0, change: 0 })
  channel.send([message(1)])
  vi.advanceTimersByTime(5)
  channel.send([message(2)])
  channel.send([message(3)])
  vi.advanceTimersByTime(34)
  expect(slow.heard).toBe('m1 ')
  vi.advanceTimersByTime(1)
  expect(slow.heard).toBe('m1 m2 m3 ')
  expect(slow.writes).toBe(2)
})

test('who is removed has heard what was sent before, and hears nothing after', () => {
  const channel = new Channel(1000)
  const ann = listener()
  channel.wait(ann)
  channel.admit(ann, { seq: 0, change: 0 })
  channel.send([message(1)])
  channel.send([message(2)])
  expect(channel.remove(ann)).toBe(true)
  channel.send([message(3)])
  channel.flush()
  expect(ann.heard).toBe('m1 m2 ')
  expect(channel.remove(ann)).toBe(false)
  expect(channel.size).toBe(0)
})

test('a listener that reads for too long is not let in with a gap', () => {
  const channel = new Channel(0)
  const ann = listener()
  channel.wait(ann)
  for (let seq = 1; seq <= 6000; seq++) channel.send([message(seq)])
  expect(channel.admit(ann, { seq: 0, change: 0 })).toBe(false)
})
