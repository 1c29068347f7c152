import { expect, test } from 'vitest'
import { ChoraleError } from '../errors.ts'
import { bob, messageOf } from '../testing/fixture.ts'
import { type OutboxParts, openOutbox } from './outgoing.ts'

type Submit = OutboxParts['submit']

function outboxOver(submit: Submit) {
  return openOutbox({
    maxQueued: 10,
    backoff: { baseMs: 1, maxMs: 1, random: () => 1 },
    isOnline: () => true,
    onChange: () => undefined,
    submit,
  })
}

test('a message does not overtake the one to the same receiver that is under way', async () => {
  const submitted: string[] = []
  const answers: PromiseWithResolvers<ReturnType<typeof messageOf>>[] = []
  const outbox = outboxOver(({ clientId }) => {
    submitted.push(clientId)
    const answer = Promise.withResolvers<ReturnType<typeof messageOf>>()
    answers.push(answer)
    return answer.promise
  })
  for (const clientId of ['one', 'two']) outbox.send({ ...bob, clientId, data: { text: clientId } })
  outbox.flush()
  expect(submitted).toEqual(['one'])
  answers[0]?.resolve(messageOf(1, { muid: 'one' }))
  await expect.poll(() => submitted).toEqual(['one', 'two'])
  outbox.close()
})

test('what is tried again has the client id it had', async () => {
  const submitted: string[] = []
  const outbox = outboxOver(async ({ clientId }) => {
    submitted.push(clientId)
    if (submitted.length < 3) {
      throw new ChoraleError(0, { code: 'ERR_MISSION_FAILED', message: '', devMessage: '' })
    }
    return messageOf(1, { muid: clientId })
  })
  const { clientId, stored } = outbox.send({ ...bob, data: { text: 'hello' } })
  expect((await stored).muid).toBe(clientId)
  expect(submitted).toEqual([clientId, clientId, clientId])
})
