import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { createUser, getContactDetails, updateContactDetails, deleteContactDetails, deleteUser } =
  app.as('full')
const update = (onBehalfOf: string, body: { email?: string; phno?: string }) =>
  updateContactDetails({ onBehalfOf, body })
const details = async (onBehalfOf: string) => (await getContactDetails({ onBehalfOf })).data

test('a user is reached where they said, and nowhere after they were forgotten', async () => {
  await createUser({ body: { uid: 'ann', name: 'Ann' } })
  expect(await details('ann')).toEqual({})
  const email = 'ann@example.com'
  expect((await update('ann', { email })).data).toEqual({ email })
  const phno = '+1 555 0100'
  expect((await update('ann', { phno })).data).toEqual({ email, phno })
  expect(await details('ann')).toEqual({ email, phno })
  await deleteContactDetails({ onBehalfOf: 'ann' })
  expect(await details('ann')).toEqual({})
})

test('a device says it of its own user', async () => {
  await createUser({ body: { uid: 'bob', name: 'Bob' } })
  const { calls } = await app.device('bob')
  await calls.updateContactDetails({ body: { email: 'bob@example.com' } })
  expect(await details('bob')).toEqual({ email: 'bob@example.com' })
  expect(await details('ann')).toEqual({})
  await deleteUser({ params: { uid: 'bob' }, body: { permanent: true } })
  await createUser({ body: { uid: 'bob', name: 'Another' } })
  expect(await details('bob')).toEqual({})
})

test.each([[{ email: 'tea' }], [{ email: 'a@b c' }], [{ phno: 'tea' }]])(
  '%j is refused',
  async (wrong) => {
    await expect(update('ann', wrong)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  },
)

test('so is a user who does not exist', async () => {
  const refusal = { code: 'ERR_UID_NOT_FOUND' }
  await expect(details('nobody')).rejects.toMatchObject(refusal)
  await expect(update('nobody', {})).rejects.toMatchObject(refusal)
  await expect(deleteContactDetails({ onBehalfOf: 'nobody' })).rejects.toMatchObject(refusal)
})
