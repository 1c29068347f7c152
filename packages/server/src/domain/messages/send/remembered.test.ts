import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { changes } from '../../../../../testing/src/sends/remembered-changes.ts'
import {
  contradiction,
  openInstall,
  send,
  transactionsOf,
} from '../../../../../testing/src/sends/remembered-facts.ts'

const install = await openInstall()
afterAll(() => install[Symbol.asyncDispose]())

test.each(changes.map((change) => [change.what, change] as const))(
  'the next send in both processes is decided by what is true now: %s',
  async (_, change) => {
    expect(await contradiction(install, change, 0)).toBeUndefined()
    expect(await contradiction(install, change, 1)).toBeUndefined()
  },
)

test('a send of which everything is remembered is one statement', async () => {
  const sends = 300
  const [change] = changes.filter(({ what }) => what === 'the name of the receiver')
  if (!change) throw new Error('There is no such change.')
  for (let n = 0; n < 3; n++) await send(install, 0, change)
  const before = await settledTransactions()
  for (let n = 0; n < sends; n++) await send(install, 0, change)
  await expect.poll(() => transactionsOf(install)).toBeGreaterThan(before + sends)
  const spent = (await settledTransactions()) - before
  expect(spent).toBeLessThan(2 * sends)
})

/** PostgreSQL counts what a connection did up to a second later. */
async function settledTransactions(): Promise<number> {
  await pause(1500)
  return transactionsOf(install)
}
