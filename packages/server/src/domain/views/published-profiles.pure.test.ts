import { expect, test } from 'vitest'
import type { AppendedEntry } from '../../outbox/committed.ts'
import type { ProfileLoader } from './counterparts.ts'
import { withPublished } from './published-profiles.ts'

const entry: AppendedEntry = {
  appId: 'app',
  bucket: 1,
  key: 1,
  seq: 1,
  id: 65,
  at: 1,
  sender: 'ann',
  category: 'message',
  type: 'text',
  data: '{}',
  profiles: { users: [{ uid: 'ann' }], groups: [{ guid: 'tea' }] },
}

/** Of whom the loader behind it was asked. */
async function askedFor(
  wanted: Parameters<ProfileLoader['find']>[0],
  viewer?: string,
  entries = [entry],
) {
  const asked: unknown[] = []
  const people: ProfileLoader = {
    async find({ uids, guids }) {
      asked.push(...uids, ...guids)
      return { users: [], groups: [] }
    },
    moves: async () => [],
  }
  const { users, groups } = await withPublished(people, entries).find(wanted, viewer)
  const names = [...users.map(({ uid }) => uid), ...groups.map(({ guid }) => guid)]
  return { asked, names }
}

test('nobody is looked up who came with the entries', async () => {
  expect(await askedFor({ uids: ['ann'], guids: ['tea'], blocks: false })).toEqual({
    asked: [],
    names: ['ann', 'tea'],
  })
})

test('who did not come is looked up', async () => {
  const wanted = { uids: ['ann', 'bob'], guids: ['tea', 'chess'], blocks: false }
  expect((await askedFor(wanted)).asked).toEqual(['bob', 'chess'])
  const { profiles: _, ...alone } = entry
  expect((await askedFor(wanted, undefined, [alone])).asked).toHaveLength(4)
})

test('a group as a member sees it is looked up, and so is who has blocked whom', async () => {
  const wanted = { uids: ['ann'], guids: ['tea'], blocks: false }
  expect((await askedFor(wanted, 'ann')).asked).toEqual(['tea'])
  expect((await askedFor({ ...wanted, blocks: true }, 'ann')).asked).toEqual(['ann', 'tea'])
})
