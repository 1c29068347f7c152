import { expect, onTestFinished, test } from 'vitest'
import { type CountWire, openSharedCounts } from './shared-counts.ts'

/** Processes of an install, on a wire that can be cut. */
function openInstall() {
  const listeners = new Set<(text: string) => void>()
  const restored: (() => void)[] = []
  let now = 1_700_000_000_000
  let cut = false
  const wire: CountWire = {
    publish(text) {
      if (!cut) for (const hear of listeners) hear(text)
    },
    listen(hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
    onRestored: (restore) => void restored.push(restore),
  }
  return {
    start() {
      const counts = openSharedCounts({ windowMs: 60_000, wire, clock: () => now })
      onTestFinished(() => counts[Symbol.dispose]())
      return counts
    },
    cut() {
      cut = true
    },
    mend() {
      cut = false
      for (const restore of restored) restore()
    },
    pass(ms: number) {
      now += ms
    },
    /** What was taken is told after a turn of the event loop. */
    told: () => new Promise(setImmediate),
  }
}

test('two processes admit a budget once, and a twentieth of it at most beyond', async () => {
  const { start, mend, told } = openInstall()
  const [a, b] = [start(), start()]
  mend()
  await told()
  let taken = 0
  for (let n = 0; n < 400; n++) {
    for (const counts of [a, b]) if (counts.take('ada', 200).ok) taken++
    await told()
  }
  expect(taken).toBeGreaterThanOrEqual(200)
  expect(taken).toBeLessThanOrEqual(210)
})

test('one who comes later knows what the others have taken', async () => {
  const { start, told } = openInstall()
  const a = start()
  for (let n = 0; n < 150; n++) a.take('ada', 200)
  const b = start()
  await told()
  expect(b.take('ada', 200).used).toBe(151)
  expect(b.take('bob', 200).used).toBe(1)
})

test('without a wire each counts for itself; what they counted is told when it is back', async () => {
  const { start, cut, mend, told } = openInstall()
  const [a, b] = [start(), start()]
  mend()
  await told()
  cut()
  for (let n = 0; n < 100; n++) a.take('ada', 200)
  for (let n = 0; n < 50; n++) b.take('ada', 200)
  await told()
  expect(a.take('ada', 200).used).toBe(101)
  mend()
  await told()
  expect(a.take('ada', 200).used).toBe(152)
})

test('a window begins with the first use anywhere, and ends for all at once', async () => {
  const { start, mend, told, pass } = openInstall()
  const [a, b] = [start(), start()]
  mend()
  await told()
  expect(a.take('ada', 1)).toEqual({ ok: true, used: 1, msLeft: 60_000 })
  await told()
  pass(20_000)
  expect(b.take('ada', 1)).toMatchObject({ ok: false, msLeft: 40_000 })
  pass(39_999)
  expect(b.take('ada', 1)).toMatchObject({ ok: false, msLeft: 1 })
  pass(1)
  expect(b.take('ada', 1)).toMatchObject({ ok: true, msLeft: 60_000 })
  await told()
  expect(a.take('ada', 1).ok).toBe(false)
})
