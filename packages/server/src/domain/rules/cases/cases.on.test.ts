import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { openCases, punishSenders } from './cases.on.ts'

const wait = { timeout: 30_000, interval: 20 }
const live = {
  listeners: [openCases, punishSenders],
  settings: { NATS_PREFIX: natsPrefix() },
}
const app = await startTestApp({ shadow: false, live })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { given } = app
await given.users('ann', 'bob', 'cid', 'dan')
await given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid', 'dan'] } })
const inTea = (text: string) => ({ receiverType: 'group', data: { text } }) as const
const rule = (
  id: string,
  ...action: ('blockMessage' | 'flagMessage' | 'kickUser' | 'banUser' | 'blockUser')[]
) => full.createRule({ body: { id, action, conditions: [{ value: id }] } })
await rule('spam', 'blockMessage')
await rule('odd', 'flagMessage')
await rule('kick', 'blockMessage', 'kickUser')
await rule('ban', 'flagMessage', 'banUser')
await rule('block', 'blockUser')

const members = async () => {
  const { data } = await full.listMembers({ params: { guid: 'tea' } })
  return data.map(({ uid }) => uid)
}
const blocked = async () =>
  (await full.listBlockedMessages({})).data.map(({ message }) => message.id)
const flagged = async () => (await full.listFlaggedMessages({})).data.map(({ id }) => id)

describe('what rules do', () => {
  test('a blocked message waits for moderators, and approved it reaches the others', async () => {
    const { id } = await given.message('bob', 'tea', inTea('spam'))
    await expect.poll(blocked, wait).toEqual([id])
    await full.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'approved' } })
    const { data } = await full.listGroupMessages({
      onBehalfOf: 'cid',
      params: { guid: 'tea' },
      query: { category: 'message' },
    })
    expect(data).toMatchObject([{ sender: 'bob', data: { text: 'spam' } }])
    expect(await blocked()).toEqual([])
  })

  test('a flagged one is seen by all, and waits for moderators, too', async () => {
    const { id, data } = await given.message('bob', 'tea', inTea('odd'))
    expect(data.moderation).toEqual({ status: 'approved' })
    expect((await full.getMessage({ onBehalfOf: 'cid', params: { id } })).data.id).toBe(id)
    await expect.poll(flagged, wait).toEqual([id])
  })

  test('the sender is kicked out or banned, but not the owner', async () => {
    await given.message('ann', 'tea', inTea('kick'))
    await given.message('bob', 'tea', inTea('kick'))
    await expect.poll(members, wait).not.toContain('bob')
    await given.message('cid', 'tea', inTea('ban'))
    await expect.poll(members, wait).not.toContain('cid')
    expect(await members()).toEqual(['ann', 'dan'])
    const { data } = await full.listBannedUsers({ params: { guid: 'tea' } })
    expect(data.map(({ uid }) => uid)).toEqual(['cid'])
  })

  test('between two, the receiver blocks the sender', async () => {
    const { id } = await given.message('dan', 'ann', { data: { text: 'block' } })
    const blockedBy = async () => {
      const { data } = await full.listBlockedUsers({ params: { uid: 'ann' } })
      return data.map(({ uid }) => uid)
    }
    await expect.poll(blockedBy, wait).toEqual(['dan'])
    expect(await flagged()).toContain(id)
  })
})
