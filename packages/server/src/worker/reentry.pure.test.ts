import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReentry } from './reentry.ts'

function admitting(
  inHand: { readonly count: number; readonly upTo: number },
  inHandNow: () => Promise<number> = async () => Promise.reject(new Error('NATS is away.')),
) {
  const reentry = openReentry({ inHand, inHandNow })
  const admitted: number[] = []
  const come = async (...seqs: number[]) => {
    for (const seq of seqs) void reentry.admit(seq).then(() => admitted.push(seq))
    await setImmediate()
  }
  return { reentry, admitted, come }
}

test('what was in hand of a dead process goes before what came earlier and is newer', async () => {
  const { admitted, come } = admitting({ count: 2, upTo: 8 })
  await come(9, 8)
  expect(admitted).toEqual([])
  await come(10, 7)
  expect(admitted).toEqual([7, 8, 9, 10])
  await come(11)
  expect(admitted).toEqual([7, 8, 9, 10, 11])
})

test('where nothing was in hand nobody waits, and nobody once it is stopped', async () => {
  const free = admitting({ count: 0, upTo: 8 })
  await free.come(9)
  expect(free.admitted).toEqual([9])
  const stopped = admitting({ count: 1, upTo: 8 })
  await stopped.come(9)
  stopped.reentry[Symbol.dispose]()
  await setImmediate()
  expect(stopped.admitted).toEqual([9])
})

test('nobody waits for what is no longer in hand', async () => {
  let inHand = 3
  let asked = 0
  const { admitted, come } = admitting({ count: 3, upTo: 8 }, async () => {
    asked++
    return inHand
  })
  // 7 does not come again: its acknowledgement was under way.
  await come(9, 8)
  await expect.poll(() => asked).toBeGreaterThan(1)
  expect(admitted).toEqual([])
  inHand = 2
  await expect.poll(() => admitted).toEqual([8, 9])
})
