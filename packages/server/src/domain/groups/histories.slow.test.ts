import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { deadlocksIn } from '../../../../testing/src/data/log-entries.ts'
import { playAlone } from '../../../../testing/src/histories/alone.ts'
import { openFixtures } from '../../../../testing/src/histories/fixtures.ts'
import { histories } from '../../../../testing/src/histories/steps.ts'
import { playTogether } from '../../../../testing/src/histories/together.ts'

const fixtures = await openFixtures()
afterAll(() => fixtures[Symbol.asyncDispose]())
const anHour = 3_600_000

test(
  'one caller, five hundred histories: every answer is the predicted one',
  async () => {
    const property = fc.asyncProperty(
      histories({ min: 1, max: 150 }),
      fc.boolean(),
      async (history, actionsCount) => playAlone(fixtures.next(actionsCount), history),
    )
    await fc.assert(property, { numRuns: 500 })
  },
  anHour,
)

test(
  'eight callers at once, a thousand histories: the log explains every row',
  async () => {
    const property = fc.asyncProperty(
      histories({ min: 30, max: 200 }),
      fc.boolean(),
      async (history, actionsCount) => playTogether(fixtures.next(actionsCount), history),
    )
    await fc.assert(property, { numRuns: 1000, endOnFailure: true })
    expect(await deadlocksIn(fixtures.app.db)).toBe(0)
  },
  anHour,
)
