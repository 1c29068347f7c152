import { expect, test, vi } from 'vitest'
import { survivePushFaults } from '../../../../../testing/src/notifications/push-faults.ts'

vi.setConfig({ testTimeout: 600_000 })

test('a worker that is killed between faulty providers shows each message once on each phone', async () => {
  const { mistakes, says } = await survivePushFaults({ seed: 'short', messages: 300, kills: 1 })
  console.log(says)
  expect(mistakes).toEqual([])
})

test('a push that a provider loses, and one that is shown twice, are noticed', async () => {
  const run = { seed: 'sabotage', messages: 20, kills: 0, sabotaged: true }
  const { mistakes } = await survivePushFaults(run)
  expect(mistakes.map((text) => text.replace(/^message \d+: /, '')).sort()).toEqual([
    '0 times',
    '2 times',
  ])
})
