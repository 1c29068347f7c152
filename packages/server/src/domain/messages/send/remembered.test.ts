import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { answer } from '../../../../../testing/src/network/receiver.ts'
import { type Change, changes } from '../../../../../testing/src/sends/remembered-changes.ts'
import {
  callsOf,
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

test('a webhook is not asked about a message of a caller who is not one any more', async () => {
  const { api, management } = callsOf(install, 0)
  const gated = changeOf('a webhook is asked before a message')
  const revoked = changeOf('an API key is deleted')
  await gated.apply(api, management)
  install.gate.behave = answer(200)
  for (let n = 0; n < 2; n++) expect(await send(install, 1, revoked)).toMatchObject({ status: 200 })
  await revoked.apply(api, management)
  const asked = install.gate.received.length
  expect(await send(install, 1, revoked)).toSatisfy(revoked.shows)
  expect([asked > 0, install.gate.received.length]).toEqual([true, asked])
  await revoked.undo(api, management)
  await gated.undo(api, management)
})

function changeOf(what: string): Change {
  const found = changes.find((change) => change.what === what)
  if (!found) throw new Error(`There is no change "${what}".`)
  return found
}

test('a send of which everything is remembered is one statement', async () => {
  const sends = 300
  const change = changeOf('the name of the receiver')
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
