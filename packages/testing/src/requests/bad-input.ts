import { allOperations, type OperationName } from '@chorale/contract/api'
import { type Operation, pipelineErrors } from '@chorale/contract/operation'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { errorOf, send, type WireRequest } from '../network/wire.ts'
import { type Apart, startApart } from '../processes/apart.ts'
import { seeded } from '../seeded.ts'
import { seedDefaults } from '../service/seeded-app.ts'
import { fieldRequests } from './bad-fields.ts'
import { badRequests } from './bad-requests.ts'

interface BadInput {
  /** Requests drawn for each operation, and drawn again while none of them got through. */
  readonly numRuns: number
  /** Of the values of all fields this part is sent, the same in every run. */
  readonly shareOfValues: number
}

// The same requests in every run; another seed is worth a try now and then.
const seed = Number(process.env.BAD_INPUT_SEED ?? 20_260_101)
const maxRequestsDrawn = 200
/** Of the processor, for all that one request makes the event loop do at once. */
const maxBlockedMs = 100
const inFlight = 4

/** What an operation may say, and what it says when the address was spoilt. */
function declaredBy({ errors }: Operation): readonly string[] {
  return [...errors, ...pipelineErrors, 'ERR_API_NOT_FOUND']
}

/**
 * Sends, and forgets how long the first answer of the operation took: then the check of its answers
 * is compiled, which production does not do for most.
 */
function senderTo(service: Apart) {
  let answered = false
  return async (request: WireRequest) => {
    const answer = await send(service.origin, { ...request, deadlineMs: 8000 })
    if (answer.status !== 200 || answered) return answer
    answered = true
    await service.blocks()
    return answer
  }
}

/** A value that blocks the event loop does so each time; the collection of garbage does not. */
async function withFreeLoop(service: Apart, sendAll: () => Promise<void>): Promise<void> {
  let blocks: readonly number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    await sendAll()
    blocks = await service.blocks()
    if (blocks.length === 0) return
  }
  expect(blocks, 'ms for which the event loop was blocked, three times').toEqual([])
}

type Seeded = Awaited<ReturnType<typeof seedDefaults>>

async function sendDrawn(service: Apart, { known }: Seeded, operation: Operation, numRuns: number) {
  const declared = declaredBy(operation)
  const sendOne = senderTo(service)
  let reached = 0
  const property = fc.asyncProperty(badRequests(operation, known), async (request) => {
    const answer = await sendOne(request)
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
  for (let drawn = 0; reached === 0 && drawn < maxRequestsDrawn; drawn += numRuns) {
    await fc.assert(property, { seed: seed + drawn, numRuns })
  }
  return reached
}

async function sendFields(service: Apart, { known }: Seeded, operation: Operation, share: number) {
  const declared = declaredBy(operation)
  const sendOne = senderTo(service)
  const random = seeded('bad input')
  const wrong: string[] = []
  const requests = fieldRequests(operation, known)[Symbol.iterator]()
  const sendThem = async () => {
    // All of them take from the one iterator.
    for (let next = requests.next(); !next.done; next = requests.next()) {
      if (!random.chance(share)) continue
      const { what, request } = next.value
      const answer = await sendOne(request)
      if (answer.status === 200) continue
      const { code } = errorOf(answer)
      if (answer.status >= 500 || !declared.includes(code)) wrong.push(`${what}: ${code}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, sendThem))
  return wrong
}

export async function testBadInput({ numRuns, shareOfValues }: BadInput): Promise<void> {
  const service = await startApart(maxBlockedMs)
  afterAll(() => service[Symbol.asyncDispose]())
  const shared = await seedDefaults(service)
  const appFor = async ({ effect }: Operation) =>
    effect === 'read' ? shared : await seedDefaults(service)

  test.each([...allOperations])(
    '%s answers whatever it is sent: with 200 or a declared error, in time, and goes on',
    (name: OperationName, operation: Operation) =>
      withFreeLoop(service, async () => {
        const app = await appFor(operation)
        const reached = await sendDrawn(service, app, operation, numRuns)
        expect(reached, `${name}: all its requests were refused`).toBeGreaterThan(0)
        if (name !== 'deleteApp') expect((await app.normalCall()).status).toBe(200)
      }),
    180_000,
  )

  test.each([...allOperations])(
    'H3: no field of %s has a value that is answered with anything but 200 or a declared error',
    (name: OperationName, operation: Operation) =>
      withFreeLoop(service, async () => {
        const wrong = await sendFields(service, await appFor(operation), operation, shareOfValues)
        expect(wrong, name).toEqual([])
      }),
    180_000,
  )
}
