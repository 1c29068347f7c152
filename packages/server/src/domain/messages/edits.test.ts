import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob')

const list = (id: string, query: object = {}) => full.listEdits({ params: { id }, query })

test('what a message said before, newest first, page by page', async () => {
  const { id } = await message('ann', 'bob', { data: { text: 'one' } })
  expect((await list(id)).data).toEqual([])
  for (const text of ['two', 'three', 'four']) {
    await full.editMessage({ params: { id }, body: { data: { text } } })
  }
  const { data, meta } = await list(id)
  expect(data.map((edit) => edit.data.text)).toEqual(['three', 'two', 'one'])
  expect(data[0]).toMatchObject({ messageId: id, editedAt: expect.any(Number) })
  expect(meta).toEqual({ current: { limit: 100, count: 3 } })
  const first = await list(id, { limit: 2 })
  const second = await list(id, { limit: 2, ...first.meta.next })
  expect(second.data.map((edit) => edit.data.text)).toEqual(['one'])
  const oldest = await list(id, { limit: 2, affix: 'append' })
  expect(oldest.data.map((edit) => edit.data.text)).toEqual(['two', 'one'])
})

test('stays when the message is deleted, and goes when that is for ever', async () => {
  const { id } = await message('ann', 'bob')
  await full.editMessage({ params: { id }, body: { data: { text: 'again' } } })
  const { id: gone } = await message('ann', 'bob')
  await full.deleteMessage({ params: { id } })
  await full.deleteMessage({ params: { id: gone }, body: { permanent: true } })
  expect((await list(id)).data).toMatchObject([{ data: { text: 'hello' } }])
  await expect(list(gone)).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
})

test('is for the app itself, not for its users', async () => {
  const { id } = await message('ann', 'bob')
  const as = (onBehalfOf: string) => full.listEdits({ params: { id }, onBehalfOf })
  await expect(as('ann')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  await expect(as('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
})
