import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createReason, listReasons, updateReason, deleteReason } = app.as('full')

test('every app has three reasons, which stay as they are', async () => {
  const { data, meta } = await listReasons()
  expect(data.map(({ id }) => id)).toEqual(['spam', 'sexual', 'harassment'])
  expect(data.every((reason) => reason.default && /^\d{10}$/.test(reason.createdAt))).toBe(true)
  expect(meta).toEqual({ current: { limit: 10, count: 3 } })
  const refusal = { code: 'ERR_OPERATION_FAILED', status: 403 }
  await expect(
    updateReason({ params: { id: 'SPAM' }, body: { name: 'Ham' } }),
  ).rejects.toMatchObject(refusal)
  await expect(deleteReason({ params: { id: 'spam' } })).rejects.toMatchObject(refusal)
})

test('an app adds reasons of its own, changes and deletes them', async () => {
  const created = await createReason({ body: { id: 'Off-Topic', name: 'Off topic' } })
  expect(created.data).toEqual({
    id: 'off-topic',
    name: 'Off topic',
    description: '',
    createdAt: now,
    updatedAt: now,
  })
  expect((await app.events()).at(-1)).toEqual({
    name: 'reason.saved',
    payload: { reasonId: 'off-topic' },
  })
  const params = { id: 'off-topic' }
  const createdAt = now++
  const updated = await updateReason({ params, body: { description: 'Elsewhere, please.' } })
  const is = { id: 'off-topic', name: 'Off topic', description: 'Elsewhere, please.' }
  expect(updated.data).toEqual({ ...is, createdAt, updatedAt: now })
  expect((await listReasons()).data.at(-1)).toEqual({
    ...is,
    createdAt: String(createdAt),
    updatedAt: String(now),
  })
  expect((await listReasons({ query: { limit: 3, page: 2 } })).data).toHaveLength(1)
  expect((await deleteReason({ params })).data.success).toBe(true)
  expect((await app.events()).at(-1)?.name).toBe('reason.deleted')
  const gone = { code: 'ERR_REASON_NOT_FOUND', status: 404 }
  await expect(deleteReason({ params })).rejects.toMatchObject(gone)
  await expect(updateReason({ params, body: { name: 'x' } })).rejects.toMatchObject(gone)
})

test('refuses a taken id and a 26th reason', async () => {
  await using fresh = await startTestApp({ shadow: false })
  const create = (id: string) => fresh.as('full').createReason({ body: { id, name: id } })
  for (let n = 0; n < 25; n++) await create(`reason-${n}`)
  for (const id of ['reason-1', 'spam']) {
    await expect(create(id)).rejects.toMatchObject({
      code: 'ERR_REASON_ALREADY_EXISTS',
      status: 409,
    })
  }
  await expect(create('one-more')).rejects.toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION' })
})
