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
  const outbox = outboxOver(({ muid }) => {
    submitted.push(muid)
    const answer = Promise.withResolvers<ReturnType<typeof messageOf>>()
    answers.push(answer)
    return answer.promise
  })
  for (const muid of ['one', 'two']) outbox.send({ ...bob, muid, data: { text: muid } })
  outbox.flush()
  expect(submitted).toEqual(['one'])
  answers[0]?.resolve(messageOf(1, { muid: 'one' }))
  await expect.poll(() => submitted).toEqual(['one', 'two'])
  outbox.close()
})

test('what is tried again has the muid it had', async () => {
  const submitted: string[] = []
  const outbox = outboxOver(async ({ muid }) => {
    submitted.push(muid)
    if (submitted.length < 3) {
      throw new ChoraleError(0, { code: 'ERR_MISSION_FAILED', message: '', devMessage: '' })
    }
    return messageOf(1, { muid })
  })
  const { muid, stored } = outbox.send({ ...bob, data: { text: 'hello' } })
  expect((await stored).muid).toBe(muid)
  expect(submitted).toEqual([muid, muid, muid])
})
