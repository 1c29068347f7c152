import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())

test('users see themselves, with what is between them and the app', async () => {
  const metadata = { '@private': { email: 'a@b.c' } }
  await app.given.user('ann', { metadata, tags: ['red'] })
  const { data } = await (await app.device('ann')).calls.getMe()
  expect(data).toMatchObject({ uid: 'ann', name: 'ANN', metadata, tags: ['red'] })
  expect(data).not.toHaveProperty('conversationId')
})

test('users change themselves, but not their role', async () => {
  await app.given.role('staff')
  await app.given.user('bob', { avatar: 'https://x.org/old.png' })
  const { updateMe, getMe } = (await app.device('bob')).calls
  const changes = {
    name: 'Bobby',
    link: 'https://x.org/bob',
    statusMessage: 'here',
    tags: ['blue'],
  }
  // A field that the contract does not have.
  const more = { role: 'staff' } as object
  const { data } = await updateMe({ body: { ...changes, unset: ['avatar'], ...more } })
  expect(data).toMatchObject({ ...changes, role: 'default', updatedAt: expect.any(Number) })
  expect(data).not.toHaveProperty('avatar')
  expect((await getMe()).data).toEqual(data)
  expect((await app.events()).at(-1)).toEqual({ name: 'user.updated', payload: { uid: 'bob' } })
  await expect(updateMe({ body: { name: '' } })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
})
