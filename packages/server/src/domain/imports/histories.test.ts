import type { ImportedMessage } from '@chorale/contract/imports'
import { afterAll, expect, test } from 'vitest'
import { exportOf, messagesOf, seenIn, seenOf } from '../../../../testing/src/imports/exported.ts'
import { guids, openTalks, Talkers, uids } from '../../../../testing/src/imports/random-history.ts'
import { seeded } from '../../../../testing/src/seeded.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { findWrongCounters } from '../log/index.ts'
import { findWrongReplies } from '../messages/index.ts'

let now = 1_700_000_000
const app = await startTestApp({ shadow: false, sockets: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())

const seeds = ['one', 'two']

test.each(seeds)(
  'a random history looks the same where it was imported: %s',
  async (seed) => {
    const random = seeded(seed)
    const source = app.client(await app.anotherApp(), 'full')
    const target = app.client(await app.anotherApp(), 'full')
    await openTalks(source)
    const talkers = new Talkers(source, random)
    const steps = async (count: number) => {
      for (let step = 0; step < count; step++) {
        now += random.below(3)
        await talkers.step()
      }
    }
    const importAll = async (messages: readonly ImportedMessage[], update: boolean) => {
      for (let at = 0; at < messages.length; ) {
        const size = 1 + random.below(40)
        const batch = messages.slice(at, at + size)
        const body = {
          messages: Object.fromEntries(batch.map((one) => [one.muid, one])),
          unread: true,
        }
        const times = random.chance(0.3) ? 2 : 1
        for (let time = 0; time < times; time++) {
          const { data } = await target.importMessages({ body: { ...body, update } })
          expect(Object.values(data).filter(({ success }) => !success)).toEqual([])
        }
        at += random.chance(0.2) ? Math.max(1, size - 3) : size
      }
    }

    await steps(80)
    await movePeople(source, target)
    await importAll(await exportOf(source), false)
    await movePositions(source, target)
    await expectSame(source, target)

    // Both sides live: what has changed since is brought over by the same calls.
    await steps(40)
    await importAll(await exportOf(source), true)
    await movePositions(source, target)
    await expectSame(source, target)
  },
  120_000,
)

type Side = ReturnType<typeof app.client>

async function movePeople(source: Side, target: Side): Promise<void> {
  const users = (await source.listUsers({ query: { withTags: true } })).data
  await target.importUsers({
    body: { users: Object.fromEntries(users.map((user) => [user.uid, user])) },
  })
  for (const guid of guids) {
    const { data: group } = await source.getGroup({ params: { guid } })
    await target.importGroups({ body: { groups: { [guid]: group } } })
    const { data } = await source.listMembers({ params: { guid }, query: {} })
    const members = data.map(({ uid, scope, joinedAt }) => {
      const memberId = `${guid}_member_${uid}`
      return [memberId, { memberId, guid, uid, scope, joinedAt }] as const
    })
    const { data: moved } = await target.importMembers({
      body: { members: Object.fromEntries(members) },
    })
    expect(Object.values(moved).filter(({ success }) => !success)).toEqual([])
  }
}

async function movePositions(source: Side, target: Side): Promise<void> {
  const { data } = await source.listConversations({ query: { perPage: 1000 } })
  const conversations = data.map((one, nth) => [
    `c${nth}`,
    {
      uid: one.uid ?? '',
      conversationType: one.conversationType,
      conversationWith:
        'guid' in one.conversationWith ? one.conversationWith.guid : one.conversationWith.uid,
      unreadMessageCount: Number(one.unreadMessageCount),
    },
  ])
  const body = { conversations: Object.fromEntries(conversations) }
  const { data: placed } = await target.importConversations({ body })
  expect(Object.values(placed).map((one) => one.data?.unreadMessageCount)).toEqual(
    data.map((one) => Number(one.unreadMessageCount)),
  )
}

async function expectSame(source: Side, target: Side): Promise<void> {
  expect(await seenIn(target)).toEqual(await seenIn(source))
  const messages = await messagesOf(source)
  expect(messages.length).toBeGreaterThan(uids.length)
  for (const message of messages.filter((_, nth) => nth % 5 === 0)) {
    expect(await seenOf(target, message)).toEqual(await seenOf(source, message))
  }
  for (const counter of ['heads', 'unread', 'members'] as const) {
    expect(await findWrongCounters(app.db, counter)).toEqual([])
  }
  expect(await findWrongReplies(app.db)).toEqual([])
}
