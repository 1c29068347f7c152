import { allOperations, type OperationName } from '@chorale/contract/api'
import { ChoraleError } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { refuseEvents } from '../../../testing/src/data/refused-events.ts'
import { faultCalls } from '../../../testing/src/faults/calls.ts'
import { makeFaultFixture } from '../../../testing/src/faults/fixture.ts'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { watchRows } from '../../../testing/src/service/row-watch.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack[Symbol.asyncDispose]())
const s3 = stack.use(await startS3Server())
// A bucket on loopback may be named here.
const settings = { EGRESS_ALLOW: '127.0.0.1/32', EGRESS_HTTP: 'true' }
const app = stack.use(await startTestApp({ shadow: false, settings }))
const fixture = await makeFaultFixture(app, s3)
const { calls: onDevice } = await app.device('dan')
const watch = stack.use(await watchRows(app.databaseUrl))

/**
 * Rows that stay although the call fails. A reply is appended after its author follows the thread:
 * the other way round a reply could be stored whose author hears of no other.
 */
const staysOnPurpose: Readonly<Partial<Record<OperationName, string>>> = {
  replyToMessage: 'thread_subscriptions',
}

async function statusOf(name: OperationName, input: unknown): Promise<number> {
  const client = allOperations.get(name)?.requires === 'authToken' ? onDevice : app.as('full')
  // The table has typed the input by the contract.
  const calls = client as unknown as Record<string, (input: unknown) => Promise<unknown>>
  try {
    await calls[name]?.(input)
    return 200
  } catch (error) {
    if (!(error instanceof ChoraleError)) throw error
    return error.status
  }
}

/**
 * The event of an appended entry is the marker of its batch, a row of `append_receipts`; all others
 * are rows of `outbox`. A call reaches neither: then it records no event, and answers 200.
 */
test('a call whose event cannot be stored answers 500 and changes no row', async () => {
  const refusal = await refuseEvents(app.db)
  const surprises: string[] = []
  const recording: string[] = []
  const silent: string[] = []
  // Object.entries forgets which names there are.
  for (const [name, input] of Object.entries(faultCalls(fixture)) as [OperationName, unknown][]) {
    const before = { refused: await refusal.count(), writes: (await watch.tables()).length }
    const status = await statusOf(name, input)
    const records = (await refusal.count()) > before.refused
    ;(records ? recording : silent).push(name)
    const wanted = records ? 500 : 200
    if (status !== wanted) surprises.push(`${name} answered ${status} instead of ${wanted}`)
    const written = (await watch.tables()).slice(before.writes)
    const changed = records ? written.filter((table) => table !== staysOnPurpose[name]) : []
    if (changed.length > 0) surprises.push(`${name} changed ${changed.join(', ')}`)
  }
  expect(surprises.join('\n')).toBe('')
  // Those of a session record no event, and need a person.
  const changing = [...allOperations].filter(
    ([, { effect, requires }]) => effect !== 'read' && requires !== 'session',
  )
  expect([...recording, ...silent].toSorted()).toEqual(changing.map(([name]) => name).toSorted())
  expect(recording).toEqual(expect.arrayContaining(['sendMessage', 'replyToMessage', 'createUser']))
  // Settings and providers, about half of the contract.
  expect(recording.length, `no event: ${silent.join(', ')}`).toBeGreaterThan(50)
}, 300_000)
