import { allOperations } from '@chorale/contract/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expected, outcomeOf } from '../../../testing/src/matrix/expectations.ts'
import {
  type CallerName,
  callerNames,
  type Fixture,
  startFixture,
} from '../../../testing/src/matrix/fixture.ts'
import { leaks, requestFor } from '../../../testing/src/matrix/requests.ts'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { consoleUrl } from '../../../testing/src/service/console-page.ts'

let fixture: Fixture
let before: unknown
beforeAll(async () => {
  fixture = await startFixture()
  before = await fixture.snapshot()
}, 300_000)
afterAll(() => fixture[Symbol.asyncDispose]())

/** Every operation, called by one of them: what came differently, a line each. */
async function surprises(caller: CallerName): Promise<string[]> {
  const { app, victims, callers } = fixture
  const headersOf = callers.get(caller)
  const lines: string[] = []
  let headers = await headersOf?.()
  for (const [name, operation] of allOperations) {
    const { path, body } = requestFor(name, operation, victims)
    const answer = await send(
      ['management', 'session'].includes(operation.requires) ? app.managementOrigin : app.origin,
      {
        method: operation.method,
        path,
        // Of a page of the console, which nobody of these has signed in to.
        headers: { 'x-chorale-console': '1', origin: consoleUrl, ...headers },
        body: body && JSON.stringify(body),
      },
    )
    const code = answer.status === 200 ? undefined : errorOf(answer).code
    const wanted = expected(name, operation, caller)
    const came = outcomeOf(answer.status, code)
    // Where a role may be denied the whole call, that is a rule as well.
    const same = came === wanted || (wanted === 'refused' && came === 'not theirs')
    if (!same) lines.push(`${name} | expected ${wanted ?? 'nothing yet'} | ${came} ${code ?? ''}`)
    // Whoever may sign users in gets the token of one.
    const signsIn = caller === 'authOnly key' && name === 'createAuthToken'
    const told = signsIn ? [] : leaks(answer.text, victims)
    lines.push(...told.map((secret) => `${name} | told ${secret}`))
    if (name === 'deleteMyAuthToken') headers = await headersOf?.()
  }
  return lines
}

test.each(callerNames)(
  'no operation does for a %s what it should not',
  async (caller) => {
    expect((await surprises(caller)).join('\n')).toBe('')
    expect(await fixture.snapshot()).toEqual(before)
  },
  300_000,
)
