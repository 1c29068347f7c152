import { allOperations, type OperationName } from '@chorale/contract/api'
import { errorsOfTheRoad, type Operation } from '@chorale/contract/operation'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { badRequests, type Known } from '../testing/bad-requests.ts'
import { startBareService } from '../testing/bare-service.ts'
import { errorOf, send, type WireAnswer } from '../testing/wire.ts'

// The same requests in every run; another seed is worth a try now and then.
const seed = Number(process.env.BAD_INPUT_SEED ?? 20_260_101)
const requestsInAll = 2400
const numRuns = Math.max(20, Math.ceil(requestsInAll / allOperations.size))
const mostRounds = 10

const service = await startBareService()
afterAll(() => service[Symbol.asyncDispose]())
const { origin, management } = service

const cursors = [['ada', 'ada'], ['ada'], [1, 2], ['a\0b', 'ada'], ['\ud800', 'ada'], [], null].map(
  (key) => Buffer.from(JSON.stringify(key)).toString('base64url'),
)

/** An app in which most names that a request can mention exist. */
async function furnish(): Promise<{ known: Known; normalCall: () => Promise<WireAnswer> }> {
  const keys = await service.createApp()
  const headers = { appId: keys.appId, apikey: keys.full }
  const post = async (path: string, body: object) => {
    const answer = await send(origin, { method: 'POST', path, headers, body: JSON.stringify(body) })
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text).data
  }
  const uids = ['ada', 'bob', 'eve']
  for (const uid of uids) await post('/v3/users', { uid, name: uid, tags: ['a'] })
  await post('/v3/roles', { role: 'manager', name: 'Manager' })
  await post('/v3/groups', { guid: 'team', name: 'Team', type: 'public' })
  const { authToken } = await post('/v3/users/ada/auth_tokens', {})
  const { apiKey } = await post('/v3/apikeys', { name: 'Another', scope: 'fullAccess' })
  const known = {
    credentials: { ...headers, ...management },
    values: {
      uid: uids,
      guid: ['team'],
      conversationId: ['ada_user_bob', 'group_team'],
      role: ['manager', 'default'],
      appId: [keys.appId],
      apiKey: [apiKey, keys.auth],
      authToken: [authToken],
      permission: ['listUsers', 'createGroup'],
      timezone: ['Asia/Kolkata'],
      cursor: cursors,
    },
  }
  return { known, normalCall: () => send(origin, { path: '/v3/users', headers }) }
}

/** What an operation may say, and what it says when the address was spoilt. */
function declaredBy({ errors }: Operation): readonly string[] {
  return [...errors, ...errorsOfTheRoad, 'ERR_API_NOT_FOUND']
}

test.each([...allOperations])(
  '%s answers whatever it is sent: with 200 or a declared error, in time, and goes on',
  async (name: OperationName, operation: Operation) => {
    const { known, normalCall } = await furnish()
    const declared = declaredBy(operation)
    let reached = 0
    const property = fc.asyncProperty(badRequests(operation, known), async (request) => {
      const answer = await send(origin, { ...request, deadlineMs: 8000 })
      if (answer.status === 200) {
        reached++
        return
      }
      const { code } = errorOf(answer)
      expect(answer.status).toBeLessThan(500)
      expect(declared).toContain(code)
      if ((operation.errors as readonly string[]).includes(code)) reached++
    })
    // Where much can be wrong, few requests get through: then there are more of them.
    for (let round = 0; reached === 0 && round < mostRounds; round++) {
      await fc.assert(property, { seed: seed + round, numRuns })
    }
    expect(reached, `${name} was never reached: its requests are all refused`).toBeGreaterThan(0)
    if (name !== 'deleteApp') expect((await normalCall()).status).toBe(200)
  },
  60_000,
)
