import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')

const interactiveData = {
  title: 'Tea?',
  formFields: [{ elementId: 'cup', elementType: 'textInput' }],
  submitElement: { elementId: 'send', elementType: 'button' },
}
const form = (more: object = {}) =>
  message('ann', 'bob', {
    category: 'interactive',
    type: 'form',
    data: { interactiveData, ...more },
  })
const use = (onBehalfOf: string, id: string, ...interactions: string[]) =>
  full.markInteracted({ params: { id }, onBehalfOf, body: { interactions } })

/** What was recorded of a message, without the goal and with it. */
async function recordedOf(id: string) {
  const events = (await app.events()).filter(
    ({ name, payload }) =>
      name.startsWith('message.interact') && (payload as { id: number }).id === Number(id),
  )
  const done = events.filter(({ name }) => name === 'message.interactionGoalCompleted')
  return { done: done.length, elements: events.length - done.length }
}

test('notes what a user has used, each element once', async () => {
  const { id } = await form()
  const { data } = await use('bob', id, 'cup')
  expect(data).toEqual({ success: true, message: expect.any(String) })
  await use('bob', id, 'cup', 'cup')
  await use('bob', id, 'cup', 'send')
  expect(await recordedOf(id)).toEqual({ elements: 2, done: 0 })
  expect((await app.events()).at(-1)).toMatchObject({
    name: 'message.interacted',
    payload: { uid: 'bob', elementIds: ['send'] },
  })
})

describe('the goal of a message', () => {
  const both = ['cup', 'send']
  const goals: [string, string[], number[]][] = [
    ['anyAction', [], [1, 1]],
    ['anyOf', ['send'], [0, 1]],
    ['oneOf', both, [1, 1]],
    ['allOf', both, [0, 1]],
    ['allOf', [], [0, 0]],
    ['none', both, [0, 0]],
  ]
  test.each(goals)('%s %j is reached once', async (type, elementIds, [first, second]) => {
    const { id } = await form({ interactionGoal: { type, elementIds } })
    await use('bob', id, 'cup')
    expect((await recordedOf(id)).done).toBe(first)
    await use('bob', id, 'send')
    await use('bob', id, 'send')
    expect((await recordedOf(id)).done).toBe(second)
  })
})

test('an element must be in the message', async () => {
  const { id } = await form()
  await expect(use('bob', id, 'cup', 'saucer')).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { interactions: [expect.stringContaining('saucer')] },
  })
  expect(await recordedOf(id)).toEqual({ elements: 0, done: 0 })
})

test('the sender takes part only where the message allows it', async () => {
  const refusal = { code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED' }
  await expect(use('ann', (await form()).id, 'cup')).rejects.toMatchObject(refusal)
  await use('ann', (await form({ allowSenderInteraction: true })).id, 'cup')
})

test('is refused for what is not there, not theirs, or not interactive', async () => {
  const { id } = await form()
  const refusals: [string, string, string][] = [
    ['cyd', id, 'ERR_MESSAGE_NO_ACCESS'],
    ['nobody', id, 'ERR_UID_NOT_FOUND'],
    ['bob', '1', 'ERR_MESSAGE_ID_NOT_FOUND'],
    ['bob', (await message('ann', 'bob')).id, 'ERR_MESSAGE_ACTION_NOT_ALLOWED'],
  ]
  for (const [uid, of, code] of refusals) {
    await expect(use(uid, of, 'cup')).rejects.toMatchObject({ code })
  }
})
