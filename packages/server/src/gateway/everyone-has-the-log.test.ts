import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFleet } from '../../../testing/src/fleet/fleet.ts'
import { type Aftermath, faultsAfter, weather } from '../../../testing/src/fleet/storm.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

describe('a gateway and NATS are killed while devices come and go', () => {
  let after: Aftermath
  beforeAll(async () => {
    const fleet = stack.use(await startFleet({ gateways: 2, apis: 1, workers: 1 }))
    after = await weather(fleet, {
      people: 12,
      groups: 4,
      sendsPerSecond: 40,
      dropsPerSecond: 4,
      byDevices: 0.5,
      lastsMs: 0,
      messagesBetween: 30,
      mortals: [...fleet.gateways.slice(0, 1), fleet.nats],
    })
  }, 300_000)

  test('each of them has the whole log of its conversations, once and in order', () => {
    expect(faultsAfter(after)).toEqual([])
    expect(after.kills).toBe(2)
    expect(after.drops).toBeGreaterThan(0)
  })

  test.each([
    ['withheld', (ids: readonly number[]) => ids.toSpliced(2, 1), '1 missed'],
    ['doubled', (ids: readonly number[]) => ids.toSpliced(2, 0, ...ids.slice(2, 3)), '1 twice'],
    [
      'swapped',
      (ids: readonly number[]) => ids.toSpliced(2, 2, ...ids.slice(2, 4).reverse()),
      '1 out of order',
    ],
  ] as const)('one message that is %s would have been seen', (_, tamper, fault) => {
    const { conversation, reader } = after.heard[0] ?? {}
    const heard = after.heard.map((view, n) =>
      n === 0 ? { ...view, ids: tamper(view.ids) } : view,
    )
    expect(faultsAfter({ ...after, heard })).toEqual([
      `${conversation}: of what ${reader} saw, ${fault}`,
    ])
  })
})
