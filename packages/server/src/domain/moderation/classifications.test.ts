import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { answer, type Behaviour, type Received } from '../../../../testing/src/network/receiver.ts'
import {
  opinion,
  startClassifierFixture,
} from '../../../../testing/src/rules/classifier-fixture.ts'
import { watchRows } from '../../../../testing/src/service/row-watch.ts'

const wait = { timeout: 30_000, interval: 20 }
const fixture = await startClassifierFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, seenBy } = fixture
const { given } = app
await given.users('ann', 'bob', 'cid')

/** A group of its own, in which alone a classifier looks at what is said. */
async function room(guid: string, more: Parameters<typeof fixture.classifier>[1] = {}) {
  await given.group(guid, { owner: 'ann', members: { participants: ['bob', 'cid'] } })
  const filter = { type: 'receiver', entity: 'group', operand: 'guid' } as const
  const filters = [{ ...filter, operator: 'equals', value: guid } as const]
  const asked = await fixture.classifier(guid, { ...more, rule: { filters, ...more.rule } })
  const say = (from: string, text: string, muid?: string) =>
    given.message(from, guid, {
      receiverType: 'group',
      data: { text },
      ...(muid !== undefined && { muid }),
    })
  const see = (uid: string) => seenBy(uid, guid)
  const unread = async (onBehalfOf: string) => {
    const query = { unread: true, count: true } as const
    const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid }, query })
    return data.flatMap((one) => ('count' in one ? [one.count] : []))[0]
  }
  return { asked, say, see, unread }
}

/** As everyone sees it. */
async function messageOf(guid: string, text: string) {
  const query = { category: 'message', hideDeleted: true }
  const { data } = await full.listGroupMessages({ params: { guid }, query })
  const found = data.find((one) => 'data' in one && one.data.text === text)
  if (!found || !('id' in found)) throw new Error('It was there.')
  return found
}

/** Answers when it is told to, by the text of what it is asked about. */
function patient() {
  const waiting = new Map<string, () => void>()
  const behave: Behaviour = (response, received) => {
    waiting.set(textOf(received), () => opinion(false)(response, received))
  }
  const release = async (text: string) => {
    await expect.poll(() => waiting.has(text), wait).toBe(true)
    waiting.get(text)?.()
  }
  return { behave, release }
}

/** Of the message that it is about: the last one. */
function messageIn({ body }: Received) {
  const [message] = Object.values<Received['body']>(body.contextMessages.at(-1))
  return message
}
const textOf = (received: Received) => messageIn(received).data.text
const blocked = async () => (await full.listBlockedMessages({ query: { limit: 100 } })).data
const flagged = async () => (await full.listFlaggedMessages({ query: { limit: 100 } })).data

describe('a message that a classifier is asked about', () => {
  test('waits, seen by its sender alone, and is said once it is approved', async () => {
    const { behave, release } = patient()
    const { say, see, unread } = await room('wait', { behave })
    const before = await unread('bob')
    const sent = await say('ann', 'hello', 'first')
    expect(sent).toMatchObject({ muid: 'first', data: { moderation: { status: 'pending' } } })
    expect([await see('ann'), await see('bob')]).toEqual([[['hello', 'pending']], []])
    expect(await say('ann', 'hello', 'first')).toEqual(sent)
    const call = { onBehalfOf: 'ann', params: { id: sent.id } }
    const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }
    await expect(full.deleteMessage({ ...call, body: {} })).rejects.toMatchObject(gone)
    await release('hello')
    await expect.poll(() => see('bob'), wait).toEqual([['hello', 'approved']])
    expect(await see('ann')).toEqual([['hello', 'approved']])
    expect(await unread('bob')).toBe((before ?? 0) + 1)
    const again = await say('ann', 'hello', 'first')
    expect(again).toMatchObject({ muid: 'first', data: { moderation: { status: 'approved' } } })
    expect(again.id).not.toBe(sent.id)
    expect(await see('bob')).toHaveLength(1)
    const events = async () => (await full.listEvents({ query: { limit: 500 } })).data
    const approved = async () => (await events()).filter(({ type }) => type === 'message.approved')
    await expect.poll(approved, wait).toHaveLength(1)
    expect((await approved())[0]).toMatchObject({
      messageId: again.id,
      data: { by: 'rule', blockedMessageId: sent.id },
    })
    expect((await blocked()).map(({ message }) => message.id)).not.toContain(sent.id)
  })

  test('stays with its sender if it is disapproved, who suffers what the rule says', async () => {
    const { say, see } = await room('bad', {
      behave: opinion(true, 'Rude.\0'),
      rule: { name: 'No', action: ['blockMessage', 'kickUser'] },
    })
    const { id } = await say('bob', 'you!')
    const params = { guid: 'bad' }
    const members = async () => (await full.listMembers({ params })).data.map(({ uid }) => uid)
    await expect.poll(members, wait).toEqual(['ann', 'cid'])
    expect(await see('cid')).toEqual([])
    const found = (await blocked()).find(({ message }) => message.id === id)
    expect(found).toMatchObject({
      ruleId: 'bad',
      revisionId: `${app.appId}_bad_1`,
      reason: 'Rude.',
      condition: { category: 'customApi', value: ['bad'] },
      message: {
        data: { text: 'you!', moderation: { status: 'disapproved', rule: { name: 'No' } } },
      },
    })
    await full.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'approved' } })
    expect(await see('cid')).toEqual([['you!', 'approved']])
  })

  test('is said and waits for moderators, if the rule only flags', async () => {
    const { say, see } = await room('odd', {
      behave: opinion(true, 'Odd.'),
      rule: { action: ['flagMessage'] },
    })
    await say('bob', 'hm')
    await expect.poll(() => see('cid'), wait).toEqual([['hm', 'approved']])
    const texts = async () => (await flagged()).map(({ data }) => data.text)
    await expect.poll(texts, wait).toContain('hm')
  })

  test.each([
    ['an error', answer(500)],
    ['a redirect', answer(302)],
    ['what is no JSON', answer(200, 'yes')],
    ['an answer to something else', answer(200, '{"isMatchingCondition":"yes"}')],
    ['nothing', (response) => response.destroy()],
  ] satisfies [string, Behaviour][])(
    'is allowed or blocked if classifiers answer %s',
    async (what, behave) => {
      const guid = what.toLowerCase().replaceAll(' ', '-')
      const open = await room(`${guid}-1`, { behave })
      const action = ['blockMessage', 'kickUser'] as const
      const closed = await room(`${guid}-2`, {
        behave,
        list: { onError: 'block' },
        rule: { action: [...action] },
      })
      await open.say('bob', 'well')
      const { id } = await closed.say('bob', 'well')
      await expect.poll(() => open.see('cid'), wait).toEqual([['well', 'approved']])
      await expect.poll(() => closed.see('bob'), wait).toEqual([['well', 'disapproved']])
      expect([open.asked.received.length, closed.asked.received.length]).toEqual([3, 3])
      const found = (await blocked()).find(({ message }) => message.id === id)
      expect(found).toMatchObject({ ruleId: `${guid}-2`, action: ['blockMessage'] })
      expect(found?.reason).toMatch(/^The classifier gave no answer\. /)
      expect(await closed.see('cid')).toEqual([])
    },
  )

  test('is asked about with what was said before, and with the name and password', async () => {
    const { say, see, asked } = await room('deep', {
      list: { contextWindow: '2', username: 'ada', password: 'pass-word-1' },
    })
    for (const [nth, text] of ['one', 'two', 'three', 'four'].entries()) {
      await say('bob', text)
      await expect.poll(() => see('cid'), wait).toHaveLength(nth + 1)
    }
    const { id } = await messageOf('deep', 'three')
    await full.deleteMessage({ params: { id }, onBehalfOf: 'bob', body: {} })
    await say('bob', 'five')
    await expect.poll(() => see('cid'), wait).toHaveLength(4)
    const last = asked.received.at(-1)
    expect(last?.body.contextMessages).toEqual([
      ...[{ bob: 'two' }, { bob: 'four' }],
      { bob: expect.objectContaining({ sender: 'bob', receiver: 'deep', category: 'message' }) },
    ])
    expect(last && messageIn(last).data).toMatchObject({ text: 'five' })
    const basic = Buffer.from('ada:pass-word-1').toString('base64')
    expect(last?.headers.authorization).toBe(`Basic ${basic}`)
    expect(asked.received.map(({ body }) => body.contextMessages.length)).toEqual([1, 2, 3, 3, 3])
  })

  test('comes after what the same sender said before it, whoever is moderated first', async () => {
    const { behave, release } = patient()
    const { say, see } = await room('line', { behave })
    for (const text of ['a', 'b', 'c']) await say('bob', text)
    await say('cid', 'beside')
    for (const text of ['c', 'b', 'beside']) await release(text)
    const texts = async () => (await see('ann')).map(([text]) => text)
    await expect.poll(texts, wait).toEqual(['beside'])
    await release('a')
    await expect.poll(texts, wait).toEqual(['beside', 'a', 'b', 'c'])
  })

  test('is moderated by the rule and the classifier as they were when it was sent', async () => {
    const { promise: first, resolve } = Promise.withResolvers<ServerResponse>()
    const { say, see, asked } = await room('gone', { behave: resolve })
    const other = await fixture.receiver(opinion(true))
    await say('bob', 'before')
    const response = await first
    await full.deleteRule({ params: { ruleId: 'gone' } })
    const form = { category: 'customApi', webhookURL: other.url } as const
    await full.updateKeywordList({ params: { keywordId: 'gone' }, form })
    await full.deleteKeywordList({ params: { keywordId: 'gone' } })
    expect((await say('bob', 'after')).data.moderation?.status).not.toBe('pending')
    asked.behave = opinion(true, 'As it was.')
    response.writeHead(500).end()
    const own = [
      ['before', 'disapproved'],
      ['after', 'approved'],
    ]
    await expect.poll(() => see('bob'), wait).toEqual(own)
    expect(asked.received).toHaveLength(2)
    expect(other.received).toEqual([])
  })

  test('of a thread is a reply once it is approved', async () => {
    const { behave, release } = patient()
    const { say, see } = await room('thread', { behave })
    await say('ann', 'question')
    await release('question')
    await expect.poll(() => see('bob'), wait).toHaveLength(1)
    const params = { guid: 'thread' }
    const { data } = await full.listGroupMessages({ params, query: { category: 'message' } })
    const id = data[0] && 'id' in data[0] ? data[0].id : ''
    const body = { category: 'message', type: 'text', data: { text: 'answer' } } as const
    await full.replyToMessage({ params: { id }, onBehalfOf: 'bob', body })
    const replies = async () => (await full.getMessage({ params: { id } })).data.replyCount ?? 0
    expect(await replies()).toBe(0)
    await release('answer')
    await expect.poll(replies, wait).toBe(1)
  })
})

describe('a classifier is not asked', () => {
  test('about what a rule has blocked already, or does not look at', async () => {
    const conditions = [{ value: 'spam' }]
    const { say, see, asked } = await room('spared')
    await full.createRule({ body: { id: 'no-spam', conditions } })
    expect((await say('bob', 'spam')).data.moderation?.status).toBe('disapproved')
    const custom = { category: 'custom', type: 'x', data: { customData: { a: 'b' } } } as const
    const aside = await given.message('bob', 'spared', { receiverType: 'group', ...custom })
    expect(aside.data.moderation).toEqual({ status: 'approved' })
    const { data } = await full.sendMessage({
      body: { receiver: 'spared', receiverType: 'group', data: { text: 'from the app' } },
    })
    expect(data).not.toHaveProperty('data.moderation')
    expect(await see('cid')).toEqual([['from the app', undefined]])
    await say('bob', 'fine')
    await expect.poll(() => see('cid'), wait).toHaveLength(2)
    expect(asked.received.map(textOf)).toEqual(['fine'])
    await full.deleteRule({ params: { ruleId: 'no-spam' } })
  })

  test('in a dry run', async () => {
    const { asked, say, see } = await room('dry', { behave: opinion(true) })
    await say('bob', 'dry one')
    await expect.poll(() => see('bob'), wait).toEqual([['dry one', 'disapproved']])
    const { data } = await full.dryRunRule({ params: { ruleId: 'dry' }, body: {} })
    const run = async () => (await full.getDryRun({ params: { dryRunId: data.id } })).data
    await expect.poll(async () => (await run()).status, wait).toBe('done')
    expect((await run()).counts.caught).toBe(0)
    expect(asked.received).toHaveLength(1)
  })
})

describe('an edit that a classifier is asked about', () => {
  test('changes the message once it is approved, and withholds it if not', async () => {
    const { behave, release } = patient()
    const { say, see, asked } = await room('edit', { behave })
    await say('bob', 'draft')
    await release('draft')
    await expect.poll(() => see('cid'), wait).toEqual([['draft', 'approved']])
    const { id } = await messageOf('edit', 'draft')
    const edit = (text: string) =>
      full.editMessage({ params: { id }, onBehalfOf: 'bob', body: { data: { text } } })
    const { data } = await edit('final')
    expect(data).toMatchObject({ id, data: { text: 'final', moderation: { status: 'pending' } } })
    await full.addReaction({ params: { id, reaction: '👍' }, onBehalfOf: 'cid' })
    expect(await see('cid')).toEqual([['draft', 'approved']])
    await release('final')
    await expect.poll(() => see('cid'), wait).toEqual([['final', 'approved']])
    expect(await messageOf('edit', 'final')).toMatchObject({
      id,
      editedBy: 'bob',
      data: { reactions: [{ reaction: '👍', count: 1 }] },
    })
    asked.behave = opinion(true, 'No.')
    await edit('terrible')
    await expect.poll(() => see('cid'), wait).toEqual([])
    expect(await see('bob')).toEqual([['terrible', 'disapproved']])
    const found = (await blocked()).find(({ message }) => message.id === id)
    expect(found).toMatchObject({ ruleId: 'edit', reason: 'No.' })
  })

  test('is dropped if the message is deleted meanwhile', async () => {
    const { behave, release } = patient()
    const { say, see, asked } = await room('erase', { behave })
    await say('bob', 'short')
    await release('short')
    await expect.poll(() => see('cid'), wait).toHaveLength(1)
    const { id } = await messageOf('erase', 'short')
    const body = { data: { text: 'longer' } }
    await full.editMessage({ params: { id }, onBehalfOf: 'bob', body })
    await expect.poll(() => asked.received.length, wait).toBe(2)
    await full.deleteMessage({ params: { id }, onBehalfOf: 'bob', body: {} })
    await release('longer')
    await say('bob', 'next')
    await release('next')
    await expect.poll(() => see('cid'), wait).toEqual([['next', 'approved']])
    const params = { guid: 'erase' }
    const { data } = await full.listGroupMessages({ params, query: { category: 'action' } })
    const actions = data.flatMap((one) => ('data' in one ? [one.data.action] : []))
    expect([actions.includes('deleted'), actions.includes('edited')]).toEqual([true, false])
  })
})

test('what is decided in one app changes nothing in another with the same names', async () => {
  const other = await app.anotherApp()
  const theirs = app.client(other, 'full')
  for (const uid of ['ann', 'bob', 'cid']) await theirs.createUser({ body: { uid, name: uid } })
  const members = { participants: ['bob', 'cid'] }
  const group = { guid: 'shadow', name: 'T', type: 'public', owner: 'ann', members } as const
  await theirs.createGroup({ body: group })
  const silent = await fixture.classifier('shadow', { of: other, behave: () => undefined })
  const body = {
    receiver: 'shadow',
    receiverType: 'group',
    muid: 'm',
    data: { text: 'x' },
  } as const
  await theirs.sendMessage({ onBehalfOf: 'bob', body })
  await using watch = await watchRows(app.databaseUrl)
  const { say, see } = await room('shadow')
  // What is under way there has come to rest.
  await expect.poll(() => silent.received.length, wait).toBe(1)
  const unpublished = () =>
    sql`select from outbox where app_id = ${other.appId}`.execute(app.db).then(({ rows }) => rows)
  await expect.poll(unpublished, wait).toEqual([])
  const before = await watch.writesTo(other.appId)
  await say('bob', 'x', 'm')
  await expect.poll(() => see('cid'), wait).toEqual([['x', 'approved']])
  expect(await watch.writesTo(other.appId)).toBe(before)
})
