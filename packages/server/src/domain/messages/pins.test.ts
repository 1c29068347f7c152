import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')
await app.given.group('tea', {
  owner: 'ann',
  members: { moderators: ['cyd'], participants: ['bob'] },
})
const inTea = { receiverType: 'group' } as const

const pin = (id: string, onBehalfOf?: string) =>
  full.pinMessage({ params: { id }, ...(onBehalfOf && { onBehalfOf }) })
const unpin = (id: string, onBehalfOf?: string) =>
  full.unpinMessage({ params: { id }, ...(onBehalfOf && { onBehalfOf }) })

describe('pin', () => {
  test('shows everyone who pinned it and when; a repeat changes nothing', async () => {
    const { id } = await message('ann', 'bob')
    const { data } = await pin(id, 'bob')
    expect(data).toMatchObject({ id, pinnedBy: 'bob', pinnedAt: expect.any(Number) })
    expect((await pin(id, 'ann')).data).toMatchObject({ pinnedBy: 'bob' })
    const seen = await full.getMessage({ params: { id }, onBehalfOf: 'ann' })
    expect(seen.data).toMatchObject({ pinnedBy: 'bob' })
    expect((await unpin(id, 'ann')).data).not.toHaveProperty('pinnedAt')
    expect((await unpin(id, 'ann')).data).not.toHaveProperty('pinnedBy')
    const events = (await app.events()).slice(-2)
    expect(events).toMatchObject([
      { name: 'message.pinned', payload: { id: Number(id), uid: 'bob' } },
      { name: 'message.unpinned', payload: { id: Number(id), uid: 'ann' } },
    ])
  })

  test('in a group by moderators and above, and by the app', async () => {
    const { id } = await message('bob', 'tea', inTea)
    expect((await pin(id, 'cyd')).data.pinnedBy).toBe('cyd')
    await unpin(id, 'ann')
    expect((await pin(id)).data.pinnedBy).toBe('app_system')
    for (const call of [pin, unpin]) {
      await expect(call(id, 'bob')).rejects.toMatchObject({ code: 'ERR_GROUP_NO_MODERATOR_SCOPE' })
    }
    await unpin(id)
  })

  test('an edit keeps it, a deletion ends it', async () => {
    const { id } = await message('ann', 'bob')
    await pin(id, 'ann')
    await full.editMessage({ params: { id }, body: { data: { text: 'again' } } })
    expect((await full.getMessage({ params: { id } })).data.pinnedBy).toBe('ann')
    await full.deleteMessage({ params: { id } })
    expect((await full.getMessage({ params: { id } })).data).not.toHaveProperty('pinnedBy')
  })
})

test('is refused for what is not there, not theirs, or was never said', async () => {
  const { id } = await message('ann', 'bob')
  for (const call of [pin, unpin]) {
    await expect(call(id, 'cyd')).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
    await expect(call(id, 'nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    await expect(call('1', 'ann')).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
  }
  const { data: action } = await full.deleteMessage({ params: { id } })
  for (const call of [pin, unpin]) {
    await expect(call(id, 'ann')).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
    await expect(call(action.id, 'ann')).rejects.toMatchObject({
      code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED',
    })
  }
})
