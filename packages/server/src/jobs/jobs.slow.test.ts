import { expect, test, vi } from 'vitest'
import {
  idleStatements,
  killedProcesses,
  unfairApp,
} from '../../../testing/src/jobs/job-scenarios.ts'

vi.setConfig({ testTimeout: 600_000 })

test('an app with 100,000 jobs does not hold up one with a single job', async () => {
  const { before, objections, waited } = await unfairApp(100_000)
  expect(before).toBeLessThanOrEqual(10)
  expect(objections).toEqual([])
  expect(waited).toBe(true)
})

test('a runner makes few statements in twenty seconds without jobs', async () => {
  expect(await idleStatements(20_000)).toBeLessThanOrEqual(4)
})

test('jobs of ten processes that are killed are run by the next, and few of them twice', async () => {
  const { repeated } = await killedProcesses(1000, 10)
  expect(repeated).toBeLessThanOrEqual(100)
})
