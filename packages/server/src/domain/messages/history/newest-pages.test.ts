import { afterAll, expect, test } from 'vitest'
import {
  guids,
  openTalks,
  Talkers,
  uids,
} from '../../../../../testing/src/imports/random-history.ts'
import { seeded } from '../../../../../testing/src/seeded.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { findUserPlaces } from './history-scope.sql.ts'
import { openNewestPages } from './newest-pages.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const full = app.as('full')
await openTalks(full)
const random = seeded('newest pages')
const talkers = new Talkers(full, random)

/** A message that nobody has sent yet. */
const future = String(2 ** 50)

/** The newest page, which may be a remembered one, and the one before a later message, which never is. */
async function pages(viewer: string | undefined, of: { uid: string } | { guid: string }) {
  const list = async (from: { id?: string }) => {
    const onBehalfOf = viewer === undefined ? {} : { onBehalfOf: viewer }
    const call = { query: { limit: 6, ...from }, ...onBehalfOf }
    const { data } =
      'uid' in of
        ? await full.listUserMessages({ params: of, ...call })
        : await full.listGroupMessages({ params: of, ...call })
    return data
  }
  return { newest: await list({}), read: await list({ id: future }) }
}

/** Of every conversation, as each of its users sees it, and of groups as the app does. */
async function expectCurrent(after: string): Promise<void> {
  const views = uids.flatMap((viewer) => [
    ...uids.filter((uid) => uid !== viewer).map((uid) => [viewer, { uid }] as const),
    ...guids.map((guid) => [viewer, { guid }] as const),
  ])
  const ofApp = guids.map((guid) => [undefined, { guid }] as const)
  await Promise.all(
    [...views, ...ofApp].map(async ([viewer, of]) => {
      const { newest, read } = await pages(viewer, of)
      expect(newest, `${viewer} looks at ${JSON.stringify(of)} after ${after}`).toEqual(read)
    }),
  )
}

const say = async (sender: string, receiver: string, text: string) => {
  const receiverType = [...guids, 'den'].includes(receiver) ? 'group' : 'user'
  const body = { receiver, receiverType, data: { text } } as const
  const { data } = await full.sendMessage({ onBehalfOf: sender, body })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}

test('the newest page is what is stored, whatever has just changed', async () => {
  for (let step = 0; step < 15; step++) {
    await talkers.step()
    await expectCurrent(`step ${step}`)
  }
}, 120_000)

test('the newest page shows a withheld message to its sender alone, until it is approved', async () => {
  await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })
  for (const [sender, receiver] of [
    ['ann', 'bob'],
    ['cid', 'team'],
  ] as const) {
    await say(sender, receiver, 'before')
    await expectCurrent('a message')
    await say(sender, receiver, 'spam')
    await expectCurrent('a blocked message')
    const id = await say(sender, receiver, 'reported')
    const body = { reasonId: 'spam' }
    await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body })
    for (const status of ['disapproved', 'approved'] as const) {
      await full.reviewFlaggedMessage({ params: { id }, body: { status } })
      await expectCurrent(status)
    }
  }
})

test('the newest page follows those who reset a conversation, leave it and come back', async () => {
  const withBob = { params: { uid: 'bob' }, onBehalfOf: 'ann', body: {} }
  await full.resetUserConversation(withBob)
  await expectCurrent('a reset')
  await say('bob', 'ann', 'again')
  await expectCurrent('a message after a reset')
  await full.kickMember({ params: { guid: 'team', uid: 'dee' } })
  await say('ann', 'team', 'without dee')
  await full.addMembers({ params: { guid: 'team' }, body: { participants: ['dee'] } })
  await expectCurrent('a return')
})

test('a group that takes the name of one that is gone has a page of its own', async () => {
  await say('ann', 'club', 'of the old club')
  await expectCurrent('a message')
  await full.deleteGroup({ params: { guid: 'club' } })
  const members = { participants: uids.slice(1) }
  const body = { guid: 'club', name: 'club', type: 'public', owner: 'ann', members } as const
  await full.createGroup({ body })
  await expectCurrent('a new group')
})

test('a page of plain messages shows whatever has changed beside them', async () => {
  const people = ['pia', 'rob', 'sue'] as const
  await app.given.users(...people)
  const members = { participants: ['rob', 'sue'] }
  const den = { guid: 'den', name: 'Den', type: 'public', owner: 'pia', members } as const
  await full.createGroup({ body: den })
  const last = { den: '', rob: '' }
  for (let nth = 0; nth < 8; nth++) {
    last.den = await say(people[nth % 3] ?? 'pia', 'den', `"${nth}" ☃`)
    last.rob = await (nth % 2 ? say('pia', 'rob', `${nth}`) : say('rob', 'pia', `${nth}`))
  }
  const expectPlain = async (after: string) => {
    const looks = [
      ['pia', { guid: 'den' }] as const,
      ['rob', { guid: 'den' }] as const,
      ['pia', { uid: 'rob' }] as const,
      ['rob', { uid: 'pia' }] as const,
      [undefined, { guid: 'den' }] as const,
    ]
    for (const [viewer, of] of looks) {
      const { newest, read } = await pages(viewer, of)
      expect(newest, `${viewer} looks at ${JSON.stringify(of)} after ${after}`).toEqual(read)
    }
    const newest = { limit: 6, withheldToo: false }
    const question = { appId, of: 'rob', viewer: 'pia', newest }
    const remembered = openNewestPages(1_000_000)
    await findUserPlaces(db, [question], remembered)
    const [place] = await findUserPlaces(db, [question], remembered)
    expect(place?.plain?.messages).toHaveLength(6)
  }
  await expectPlain('the messages')
  const rob = { params: { uid: 'rob' } }
  const ofGroup = { params: { guid: 'den' } }
  const bySue = { params: { guid: 'den', uid: 'sue' } }
  const withPia = { params: { uid: 'pia' }, onBehalfOf: 'rob' }
  const changes: Record<string, () => Promise<unknown>> = {
    'a delivery': () =>
      full.markUserConversationDelivered({ ...withPia, body: { messageId: last.rob } }),
    'a read': () => full.markUserConversationRead({ ...withPia, body: { messageId: last.rob } }),
    'a name': () => full.updateUser({ ...rob, body: { name: 'Robert "R" ☃' } }),
    'a secret': () => full.updateUser({ ...rob, body: { metadata: { '@private': { a: 1 } } } }),
    'a block': () => full.blockUsers({ params: { uid: 'pia' }, body: { blockedUids: ['rob'] } }),
    'a group renamed': () => full.updateGroup({ ...ofGroup, body: { name: 'Cave', tags: ['t'] } }),
    'a scope': () => full.changeMemberScope({ ...bySue, body: { scope: 'moderator' } }),
    'a deletion': () => full.deleteUser({ params: { uid: 'sue' }, body: { permanent: true } }),
    'a reset': () =>
      full.resetUserConversation({ params: { uid: 'rob' }, onBehalfOf: 'pia', body: {} }),
  }
  for (const [after, change] of Object.entries(changes)) {
    await change()
    await expectPlain(after)
  }
})

test('a page is remembered for both readers, until the conversation has another version', async () => {
  const remembered = openNewestPages(1_000_000)
  const newest = { limit: 6, withheldToo: false }
  const find = async (of: string, viewer: string) => {
    const [place] = await findUserPlaces(db, [{ appId, of, viewer, newest }], remembered)
    return place?.newest
  }
  const page = await find('ann', 'bob')
  expect(page?.length).toBeGreaterThan(0)
  const name = 'ann bob 6 false'
  const { version = '' } = remembered.get(appId, name) ?? {}
  // Only a page that is not read again can be empty.
  remembered.set(appId, name, { version, entries: '' })
  expect(await find('bob', 'ann')).toEqual([])
  await say('bob', 'ann', 'something new')
  expect(await find('bob', 'ann')).toHaveLength(page?.length === 6 ? 6 : (page?.length ?? 0) + 1)
})
