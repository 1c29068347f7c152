import { expect, test } from 'vitest'
import { bench } from './files.ts'
import { runBench } from './harness/context.ts'

// What sends cost beside it is measured on a quiet machine: `npm run bench -- files`.
test('pictures are checked while an app sends, and every one becomes visible', async () => {
  const { tables, goals } = await runBench(bench, () => undefined, { seconds: 5 })
  const [pictures] = tables[0]?.rows ?? []
  expect(Number(pictures?.['pictures/s'])).toBeGreaterThan(0)
  expect(goals.find(({ what }) => what.includes('not ready'))?.value).toBe(0)
})
