import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { switchExtensions, listExtensions } = app.as('full')

const params = { appId: app.appId }
const list = async () => (await listExtensions({ params })).data

test('an extension is enabled and disabled by its id, and others are not known', async () => {
  expect(await list()).toMatchObject([{ id: 'push-notification', isActive: false }])
  const body = { enabled: ['push-notification', 'stickers'], disabled: ['polls'] }
  const unknown = { success: false, error: { code: 'ERR_EXTENSION_NOT_FOUND' } }
  expect((await switchExtensions({ params, body })).data).toMatchObject({
    enabled: { 'push-notification': { success: true }, stickers: unknown },
    disabled: { polls: unknown },
  })
  const [enabled] = await list()
  expect(enabled).toMatchObject({ isActive: true })
  expect(enabled?.createdAt).toBeGreaterThan(0)
  await switchExtensions({ params, body: { disabled: ['push-notification'] } })
  expect(await list()).toMatchObject([{ isActive: false }])
})

test('the list has pages, 25 to each', async () => {
  const { data, meta } = await listExtensions({ params, query: { page: 2 } })
  expect(data).toEqual([])
  expect(meta.pagination).toMatchObject({ total: 1, count: 0, per_page: 25, links: {} })
})

test('an app that does not exist has no extensions', async () => {
  const nobody = { appId: 'nobody' }
  const refusal = { code: 'ERR_APP_NOT_FOUND' }
  await expect(listExtensions({ params: nobody })).rejects.toMatchObject(refusal)
  await expect(switchExtensions({ params: nobody, body: {} })).rejects.toMatchObject(refusal)
})
