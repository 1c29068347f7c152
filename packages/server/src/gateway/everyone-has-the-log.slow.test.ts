import { afterAll, expect, test } from 'vitest'
import { startFleet } from '../../../testing/src/fleet/fleet.ts'
import { faultsAfter, type Mortal, weather } from '../../../testing/src/fleet/storm.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fleet = stack.use(await startFleet({ gateways: 2, apis: 3, workers: 2 }))
const people = 200

test('for three minutes every process and NATS is killed in turn, while 200 devices come and go: each has the whole log, once, in order', async () => {
  const after = await weather(fleet, {
    people,
    groups: 40,
    sendsPerSecond: 40,
    dropsPerSecond: 4,
    byDevices: 0.5,
    lastsMs: 180_000,
    messagesBetween: 50,
    mortals: inTurn<Mortal>(fleet.gateways, fleet.apis, fleet.workers, [fleet.nats]),
  })
  const faults = faultsAfter(after)
  const { kills, drops, failures, acknowledged, heard } = after
  const entries = heard.reduce((sum, { ids }) => sum + ids.length, 0)
  console.log(
    `${kills} processes killed, ${drops} devices dropped, ${failures.length} requests cut off, ${acknowledged.length} messages stored; ` +
      `${people} devices were shown ${entries} entries of ${heard.length} logs: ${faults.length} faults`,
  )
  expect(faults).toEqual([])
})

/** One of each, then the next of each. */
function inTurn<T>(...kinds: readonly (readonly T[])[]): T[] {
  const most = Math.max(...kinds.map((kind) => kind.length))
  return Array.from({ length: most }, (_, n) =>
    kinds.flatMap((kind) => kind[n % kind.length] ?? []),
  ).flat()
}
