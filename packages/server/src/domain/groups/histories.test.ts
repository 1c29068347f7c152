import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { deadlocksIn } from '../../../../testing/src/data/log-entries.ts'
import { playAlone } from '../../../../testing/src/histories/alone.ts'
import { openFixtures } from '../../../../testing/src/histories/fixtures.ts'
import { histories } from '../../../../testing/src/histories/steps.ts'
import { playTogether } from '../../../../testing/src/histories/together.ts'

const fixtures = await openFixtures()
afterAll(() => fixtures[Symbol.asyncDispose]())

// Finding the shortest counterexample takes longer than finding none: then the shortest so far is shown.
const atMost = { interruptAfterTimeLimit: 270_000, markInterruptAsFailure: true }

test('one caller gets every answer that the model predicts, and the rows follow', async () => {
  const property = fc.asyncProperty(
    // From 1: a failing one can only shrink to what it may be.
    histories({ min: 1, max: 90 }),
    fc.boolean(),
    async (history, actionsCount) => playAlone(fixtures.next(actionsCount), history),
  )
  await fc.assert(property, { numRuns: 15, ...atMost })
}, 300_000)

test('eight callers at once leave a group that its log explains', async () => {
  const property = fc.asyncProperty(
    histories({ min: 30, max: 80 }),
    fc.boolean(),
    async (history, actionsCount) => playTogether(fixtures.next(actionsCount), history),
  )
  // Another run of the same history may go well: what is printed is the one that did not.
  await fc.assert(property, { numRuns: 10, endOnFailure: true })
  expect(await deadlocksIn(fixtures.app.db)).toBe(0)
}, 300_000)
