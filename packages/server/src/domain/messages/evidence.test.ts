import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob')

const threat = { data: { text: 'a threat' } }
const report = (id: string, onBehalfOf = 'bob') =>
  full.flagMessage({ params: { id }, onBehalfOf, body: { reasonId: 'harassment' } })
const caseOf = async (id: string) => {
  const { data } = await full.listFlaggedMessages()
  return data.find((row) => row.id === id)
}
const review = (id: string, status: 'approved' | 'disapproved') =>
  full.reviewFlaggedMessage({ params: { id }, body: { status } })
const erase = (id: string) =>
  full.deleteMessage({ params: { id }, onBehalfOf: 'ann', body: { permanent: true } })
const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }

test('M3: what is reported can be read in its case, whatever its author deletes', async () => {
  const { id } = await message('ann', 'bob', threat)
  await report(id)
  const { data } = await erase(id)
  expect(data).toMatchObject({ data: { action: 'deleted', entities: { on: { entity: { id } } } } })
  const { data: seen } = await full.getMessage({ params: { id }, onBehalfOf: 'bob' })
  expect(seen.deletedAt).toEqual(expect.any(Number))
  expect(seen.data).not.toHaveProperty('text')
  expect(await caseOf(id)).toMatchObject({ data: { text: 'a threat' }, deletedBy: 'ann' })
  await review(id, 'approved')
  await expect(full.getMessage({ params: { id } })).rejects.toMatchObject(gone)
  const { data: reviewed } = await full.listReviewedMessages()
  expect(JSON.stringify(reviewed)).not.toContain('a threat')
})

test('M3: once the case is closed, a message is deleted for ever as before', async () => {
  const { id } = await message('ann', 'bob', threat)
  await report(id)
  await review(id, 'approved')
  await erase(id)
  await expect(full.getMessage({ params: { id } })).rejects.toMatchObject(gone)
})

test('M3: what a rule has caught is kept for moderators, too', async () => {
  await full.createRule({
    body: { id: 'threats', conditions: [{ value: 'threat' }], action: ['flagMessage'] },
  })
  const { id } = await message('ann', 'bob', threat)
  await erase(id)
  const { data } = await full.getMessage({ params: { id } })
  expect(data.deletedBy).toBe('ann')
  await full.deleteRule({ params: { ruleId: 'threats' } })
})

test('M3: the version that was reported stays readable, also behind an edit that a rule blocks', async () => {
  // In another order than that of the database.
  const data = { metadata: { kind: 'letter' }, text: 'a threat' }
  const { id } = await message('ann', 'bob', { data })
  await report(id)
  expect(await caseOf(id)).not.toHaveProperty('reported')
  const edit = (text: string) =>
    full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data: { text } } })
  await edit('a flower')
  const reported = [{ text: 'a threat' }]
  expect(await caseOf(id)).toMatchObject({ data: { text: 'a flower' }, reported })
  await report(id)
  await edit('a tree')
  expect((await caseOf(id))?.reported).toMatchObject([{ text: 'a threat' }, { text: 'a flower' }])
  await full.createRule({
    body: { id: 'spam', conditions: [{ value: 'spam' }], action: ['blockMessage'] },
  })
  await edit('spam')
  const { data: blocked } = await full.listBlockedMessages()
  const row = blocked.find((one) => one.message.id === id)
  expect(row?.message.reported).toMatchObject([{ text: 'a threat' }, { text: 'a flower' }])
})

test('M3: a device deletes for everybody else; for ever only where the app says so', async () => {
  const { calls } = await app.device('ann')
  const remove = (id: string) => calls.deleteMessage({ params: { id }, body: { permanent: true } })
  const { id } = await message('ann', 'bob')
  expect((await remove(id)).data).toMatchObject({ data: { action: 'deleted' } })
  expect((await full.getMessage({ params: { id } })).data.deletedBy).toBe('ann')
  await full.mapAppSettings({
    params: { appId: app.appId },
    body: { settings: { 'messages.devicesDeleteForever': true } },
  })
  const { id: other } = await message('ann', 'bob')
  await remove(other)
  await expect(full.getMessage({ params: { id: other } })).rejects.toMatchObject(gone)
})
