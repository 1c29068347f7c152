import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')

const save = (onBehalfOf: string, id: string) => full.saveMessage({ params: { id }, onBehalfOf })
const unsave = (onBehalfOf: string, id: string) =>
  full.unsaveMessage({ params: { id }, onBehalfOf })

test('says since when; a repeat does not make it later, and nobody else sees it', async () => {
  const { id } = await message('ann', 'bob')
  const { data } = await save('bob', id)
  expect(data).toMatchObject({ id, savedAt: expect.any(Number), data: { text: 'hello' } })
  expect(await save('bob', id)).toEqual({ data })
  const seen = await full.getMessage({ params: { id }, onBehalfOf: 'ann' })
  expect(seen.data).not.toHaveProperty('savedAt')
  expect((await unsave('bob', id)).data).not.toHaveProperty('savedAt')
  await unsave('bob', id)
  const events = (await app.events()).slice(-2)
  expect(events).toMatchObject([
    { name: 'message.saved', payload: { id: Number(id), uid: 'bob' } },
    { name: 'message.unsaved', payload: { id: Number(id), uid: 'bob' } },
  ])
})

test('what was deleted since can be taken off, and is gone if that was for ever', async () => {
  const { id: soft } = await message('ann', 'bob')
  const { id: hard } = await message('ann', 'bob')
  for (const id of [soft, hard]) await save('bob', id)
  await full.deleteMessage({ params: { id: soft } })
  await full.deleteMessage({ params: { id: hard }, body: { permanent: true } })
  expect((await unsave('bob', soft)).data.id).toBe(soft)
  await expect(unsave('bob', hard)).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
})

test('is refused for what is not there, not theirs, or was never said', async () => {
  const { id } = await message('ann', 'bob')
  for (const call of [save, unsave]) {
    await expect(call('cyd', id)).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
    await expect(call('nobody', id)).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    await expect(call('ann', '1')).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
  }
  const { data: action } = await full.deleteMessage({ params: { id } })
  await expect(save('ann', id)).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
  await expect(save('ann', action.id)).rejects.toMatchObject({
    code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED',
  })
})
