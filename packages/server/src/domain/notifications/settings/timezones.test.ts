import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { getTimezone, setTimezone, createApp, deleteNotificationPreferences } = app.as('full')
await app.given.users('ann', 'bob')
const ann = await app.device('ann')

const of = (uid: string) => ({ query: { uid } })
const set = (uid: string, timezone: string) => setTimezone({ ...of(uid), body: { timezone } })

test('a user has the time zone of the region until they name one, which then stays', async () => {
  expect((await getTimezone(of('ann'))).data).toEqual({ timezone: 'EST' })
  expect((await set('ANN', 'Europe/Vienna')).data).toEqual({ timezone: 'Europe/Vienna' })
  expect((await set('ann', 'Asia/Kathmandu')).data).toEqual({ timezone: 'Asia/Kathmandu' })
  await deleteNotificationPreferences(of('ann'))
  expect((await getTimezone(of('ann'))).data).toEqual({ timezone: 'Asia/Kathmandu' })
  expect((await getTimezone(of('bob'))).data).toEqual({ timezone: 'EST' })
})

test.each([
  ['eu', 'GMT'],
  ['in', 'Asia/Kolkata'],
] as const)('an app in %s begins with %s', async (region, timezone) => {
  const { data } = await createApp({ body: { name: 'There', region } })
  const full = Object.values(data.apiKeys ?? {}).find(({ scope }) => scope === 'fullAccess')
  const there = app.client({ appId: data.id, full: full?.apiKey ?? '', auth: '' }, 'full')
  await there.createUser({ body: { uid: 'ann', name: 'Ann' } })
  expect((await there.getTimezone(of('ann'))).data).toEqual({ timezone })
})

test.each(['Middle/Earth', '+02:00', '', 'x'.repeat(101)])('%j is no time zone', async (name) => {
  await expect(set('ann', name)).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { timezone: [expect.any(String)] },
  })
})

test('is asked of those who exist; a device asks for its own user', async () => {
  const refusal = { code: 'ERR_UID_NOT_FOUND', status: 404 }
  await expect(getTimezone(of('nobody'))).rejects.toMatchObject(refusal)
  await expect(set('nobody', 'GMT')).rejects.toMatchObject(refusal)
  const body = { timezone: 'GMT' }
  expect((await ann.calls.setTimezone({ ...of('ann'), body })).data).toEqual(body)
  expect((await ann.calls.getTimezone(of('ann'))).data).toEqual(body)
  const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }
  await expect(ann.calls.setTimezone({ ...of('bob'), body })).rejects.toMatchObject(denied)
  await expect(ann.calls.getTimezone(of('bob'))).rejects.toMatchObject(denied)
})
