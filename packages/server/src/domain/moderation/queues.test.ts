import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { given } = app
await given.users('ann', 'bob', 'cid')
await given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid'] } })

const inTea = { receiverType: 'group' } as const
const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }
const say = (from: string, text: string) => given.message(from, 'tea', { ...inTea, data: { text } })
const edit = (id: string, onBehalfOf: string, text: string) =>
  full.editMessage({ params: { id }, onBehalfOf, body: { data: { text } } })
const flag = (id: string, onBehalfOf: string, reasonId = 'spam', remark?: string) =>
  full.flagMessage({
    params: { id },
    onBehalfOf,
    body: { reasonId, ...(remark !== undefined && { remark }) },
  })
const approve = (messageId: string) =>
  full.reviewBlockedMessage({ params: { messageId }, body: { status: 'approved' } })
const reviewFlagged = (id: string, status: 'approved' | 'disapproved') =>
  full.reviewFlaggedMessage({ params: { id }, body: { status } })

async function saidTo(onBehalfOf: string) {
  const query = { category: 'message', hideDeleted: true }
  const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid: 'tea' }, query })
  return data.flatMap((one) => ('data' in one ? [one.data.text] : []))
}

async function unreadOf(onBehalfOf: string) {
  const query = { unread: true, count: true } as const
  const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid: 'tea' }, query })
  return data.flatMap((one) => ('count' in one ? [one.count] : []))[0]
}

const flaggedIds = async () => (await full.listFlaggedMessages({})).data.map(({ id }) => id)
const lastEvent = async () => (await app.events()).at(-1)

describe('a message that users report', () => {
  test('stays where it is, and waits for moderators with who reported it and why', async () => {
    const { id } = await say('ann', 'dubious')
    await full.createReason({ body: { id: 'rude', name: 'Rude', description: 'Not nice.' } })
    await flag(id, 'bob', 'spam', 'look at this')
    await flag(id, 'cid', 'rude')
    await flag(id, 'cid', 'RUDE', 'again')
    expect(await lastEvent()).toMatchObject({
      name: 'message.flagged',
      payload: { id: Number(id), by: 'user', uid: 'cid' },
    })
    const { data } = await full.listFlaggedMessages({})
    expect(data).toMatchObject([
      {
        id,
        sender: 'ann',
        data: { text: 'dubious' },
        appId: app.appId,
        flaggedCount: 2,
        flaggedBy: [
          { uid: 'bob', reasonId: 'spam', reasonName: 'Spam', remark: 'look at this' },
          { uid: 'cid', reasonName: 'Rude', description: 'Not nice.', remark: 'again' },
        ],
      },
    ])
    expect(await saidTo('bob')).toEqual(['dubious'])
    await reviewFlagged(id, 'approved')
    expect([await flaggedIds(), await saidTo('bob')]).toEqual([[], ['dubious']])
  })

  test('is reported by who can see it, for a reason that there is', async () => {
    await given.user('dan')
    const { id } = await say('ann', 'fine')
    await expect(flag(id, 'dan')).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
    await expect(flag(id, 'bob', 'none')).rejects.toMatchObject({ code: 'ERR_REASON_NOT_FOUND' })
    await expect(flag('64', 'bob')).rejects.toMatchObject(gone)
    await expect(flag(id, 'nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    const query = { category: 'action' }
    const { data } = await full.listGroupMessages({ params: { guid: 'tea' }, query })
    const action = data[0] && 'id' in data[0] ? data[0].id : ''
    await expect(flag(action, 'ann')).rejects.toMatchObject({
      code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED',
    })
    await expect(reviewFlagged(id, 'approved')).rejects.toMatchObject(gone)
    await full.deleteMessage({ params: { id }, onBehalfOf: 'ann', body: {} })
    await expect(flag(id, 'bob')).rejects.toMatchObject(gone)
  })

  test('is withheld once it is disapproved, and comes back if that was a mistake', async () => {
    const before = await unreadOf('cid')
    const { id } = await say('ann', 'terrible')
    await flag(id, 'bob')
    expect(await unreadOf('cid')).toBe((before ?? 0) + 1)
    await reviewFlagged(id, 'disapproved')
    expect(await lastEvent()).toMatchObject({
      name: 'message.blocked',
      payload: { by: 'moderator' },
    })
    expect(await unreadOf('cid')).toBe(before)
    expect(await saidTo('cid')).toEqual(['dubious'])
    expect(await saidTo('ann')).toEqual(['dubious', 'terrible'])
    const { data: own } = await full.getMessage({ onBehalfOf: 'ann', params: { id } })
    expect(own.data.moderation).toEqual({ status: 'disapproved' })
    const { data } = await full.listReviewedMessages({})
    expect(data[0]).toMatchObject({ appId: app.appId, message: { id, data: { text: 'terrible' } } })
    expect(data[0]?.blockedAt).toMatch(new RegExp(`^\\d+\\.0*${id}$`))
    await reviewFlagged(id, 'approved')
    expect([await unreadOf('cid'), await saidTo('cid')]).toEqual([
      (before ?? 0) + 1,
      ['dubious', 'terrible'],
    ])
  })
})

describe('an edit that a rule blocks', () => {
  test('takes the message from everyone but its sender, and to the moderators', async () => {
    const conditions = [{ value: 'spam', message: ['No', 'spam.'] }]
    await full.createRule({ body: { id: 'no-spam', name: 'No spam', conditions } })
    const { id } = await say('ann', 'harmless')
    const unread = await unreadOf('cid')
    const { data: edited } = await edit(id, 'ann', 'spam after all')
    const rule = { id: 'no-spam', name: 'No spam' }
    expect(edited).toMatchObject({
      id,
      editedBy: 'ann',
      data: { text: 'spam after all', moderation: { status: 'disapproved', rule } },
    })
    expect(await lastEvent()).toMatchObject({ name: 'message.blocked', payload: { by: 'rule' } })
    expect(await unreadOf('cid')).toBe((unread ?? 0) - 1)
    expect(await saidTo('cid')).toEqual(['dubious', 'terrible'])
    const { data } = await full.listBlockedMessages({})
    expect(data).toMatchObject([
      {
        ruleId: 'no-spam',
        ruleName: 'No spam',
        revisionId: `${app.appId}_no-spam_1`,
        action: ['blockMessage'],
        condition: { value: ['spam'], weight: 1 },
        message: { id, data: { text: 'spam after all', moderation: { status: 'disapproved' } } },
      },
    ])
    const ofApp = await full.listBlockedMessagesOfApp({ params: { appId: app.appId } })
    expect(ofApp.data).toEqual(data)
  })

  test('one that is approved is said anew at the end, by its sender, for everyone', async () => {
    const [row] = (await full.listBlockedMessages({})).data
    const id = row?.message.id ?? ''
    await say('bob', 'meanwhile')
    const unread = await unreadOf('cid')
    const params = { appId: app.appId, messageId: id }
    await full.reviewBlockedMessageOfApp({ params, body: { status: 'approved' } })
    for (const uid of ['ann', 'cid']) {
      expect((await saidTo(uid)).slice(-2)).toEqual(['meanwhile', 'spam after all'])
    }
    expect(await unreadOf('cid')).toBe((unread ?? 0) + 1)
    await expect(full.getMessage({ onBehalfOf: 'ann', params: { id } })).rejects.toMatchObject(gone)
    const { data } = await full.listReviewedMessages({})
    const [last] = data
    expect(last).toMatchObject({
      ruleId: 'no-spam',
      condition: { message: 'No spam.' },
      message: {
        sender: 'ann',
        data: { text: 'spam after all', moderation: { status: 'approved' } },
      },
    })
    const event = { blockedId: Number(id), id: Number(last?.message.id) }
    expect(await lastEvent()).toMatchObject({ name: 'message.approved', payload: event })
    expect((await full.listBlockedMessages({})).data).toEqual([])
    await expect(approve(id)).rejects.toMatchObject(gone)
    const again = full.reviewBlockedMessageOfApp({ params, body: { status: 'disapproved' } })
    await expect(again).rejects.toMatchObject(gone)
  })

  test('one that is disapproved stays with its sender, and can still be approved', async () => {
    const { id } = await say('ann', 'nothing')
    await edit(id, 'ann', 'more spam')
    const params = { messageId: id }
    await full.reviewBlockedMessage({ params, body: { status: 'disapproved' } })
    expect((await full.listBlockedMessages({})).data).toEqual([])
    expect((await saidTo('ann')).at(-1)).toBe('more spam')
    expect((await saidTo('cid')).at(-1)).toBe('spam after all')
    await approve(id)
    expect((await saidTo('cid')).at(-1)).toBe('more spam')
  })

  test('what a rule only flags is edited, and waits for moderators', async () => {
    const action = ['flagMessage'] as const
    await full.createRule({
      body: { id: 'odd', action: [...action], conditions: [{ value: 'odd' }] },
    })
    const { id } = await say('ann', 'even')
    await edit(id, 'ann', 'odd')
    expect((await saidTo('cid')).at(-1)).toBe('odd')
    expect((await full.listFlaggedMessages({})).data).toMatchObject([
      { id, flaggedCount: 0, rule: { id: 'odd' }, data: { moderation: { status: 'approved' } } },
    ])
  })
})
