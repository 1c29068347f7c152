import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { walkByCursor, walkByPage } from '../../../../testing/src/service/walk.ts'

type Query = NonNullable<CallInput<Api['listGroups']>['query']>

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { listGroups, updateGroup, setRolePermissions, restrictFeatures } = app.as('full')

const guidsOf = ({ data }: { data: readonly { guid: string }[] }) => data.map(({ guid }) => guid)

beforeAll(async () => {
  await app.given.role('guest')
  await app.given.users('ann', 'bob')
  await app.given.user('gus', { role: 'guest' })
  const groups: [string, Partial<CallInput<Api['createGroup']>['body']>][] = [
    ['zebra', { name: 'Arts', tags: ['fun', 'old'] }],
    ['art-2', { name: 'Béla', type: 'password', password: 'x', tags: ['fun'] }],
    ['chess', { name: 'arthouse', owner: 'bob' }],
    ['den', { name: 'Den', type: 'private', owner: 'ann', members: { participants: ['bob'] } }],
    ['attic', { name: 'Attic', type: 'private', owner: 'ann' }],
    ['per_cent', { name: '100%' }],
  ]
  for (const [guid, more] of groups) {
    now += 100
    await app.given.group(guid, more)
  }
  now += 100
  await updateGroup({ params: { guid: 'zebra' }, body: { description: 'changed' } })
})

const all = ['per_cent', 'chess', 'zebra', 'attic', 'art-2', 'den']

describe('the app itself', () => {
  const filters: [string, Query, string[]][] = [
    ['all groups by name, private ones too', {}, all],
    ['the start of name or guid', { searchKey: 'ART' }, ['chess', 'zebra', 'art-2']],
    ['the start of the name only', { searchKey: 'art', searchIn: ['name'] }, ['chess', 'zebra']],
    ['the start of the guid only', { searchKey: 'Art', searchIn: ['guid'] }, ['art-2']],
    ['accents however they are composed', { searchKey: 'BE\u0301LA' }, ['art-2']],
    ['no wildcard: per cent', { searchKey: '%' }, []],
    ['no wildcard: underscore', { searchKey: 'per_c' }, ['per_cent']],
    ['a type', { type: 'private' }, ['attic', 'den']],
    ['password groups', { type: 'password' }, ['art-2']],
    ['password groups by their other name', { type: 'protected' }, ['art-2']],
    ['several types', { types: ['protected', 'private'] }, ['attic', 'art-2', 'den']],
    ['type and types together', { type: 'public', types: ['private'] }, without('art-2')],
    ['a tag', { tags: ['old'] }, ['zebra']],
    ['any of the tags', { tags: ['old', 'fun'] }, ['zebra', 'art-2']],
    ['by guid', { sortBy: 'guid' }, all.toSorted()],
    ['by guid, backwards', { sortBy: 'guid', sortOrder: 'desc' }, all.toSorted().toReversed()],
    ['by name, backwards', { sortOrder: 'desc' }, all.toReversed()],
    [
      'by creation',
      { sortBy: 'createdAt' },
      ['zebra', 'art-2', 'chess', 'den', 'attic', 'per_cent'],
    ],
    ['what changed since', { updatedAt: 1_700_000_600 }, ['per_cent', 'zebra']],
    [
      'what has not changed since',
      { updatedAt: 1_700_000_600, affix: 'prepend' },
      ['chess', 'attic', 'art-2', 'den'],
    ],
    ['what it may have joined, which is nothing to ask of it', { hasJoined: true }, all],
  ]
  test.each(filters)('lists %s', async (_, query, guids) => {
    const answer = await listGroups({ query })
    expect(guidsOf(answer)).toEqual(guids)
    expect(answer.meta.pagination).toEqual({
      total: guids.length,
      count: guids.length,
      per_page: 100,
      current_page: 1,
      total_pages: Math.ceil(guids.length / 100),
    })
  })

  test('shows tags only when asked', async () => {
    const first = async (query: Query) => (await listGroups({ query })).data[0]
    expect(await first({ tags: ['old'] })).not.toHaveProperty('tags')
    expect(await first({ tags: ['old'], withTags: true })).toHaveProperty('tags', ['fun', 'old'])
  })

  const refused: [string, Record<string, unknown>, string][] = [
    ['a field that cannot be searched', { searchIn: ['tags'] }, 'searchIn.0'],
    ['an unknown order', { sortBy: 'size' }, 'sortBy'],
    ['an unknown type', { type: 'secret' }, 'type'],
    ['a page of 1001', { perPage: 1001 }, 'perPage'],
    ['a cursor that it did not give', { cursor: 'x' }, 'cursor'],
    ['a cursor of another order', { cursor: keyOf('a', 'b'), sortBy: 'createdAt' }, 'cursor'],
    ['a cursor with a broken number', { cursor: keyOf(1.5, 'b'), sortBy: 'createdAt' }, 'cursor'],
    ['a cursor beyond numbers', { cursor: keyOf(1e300, 'b'), sortBy: 'createdAt' }, 'cursor'],
  ]
  test.each(refused)('is refused %s', async (_, query, field) => {
    await expect(listGroups({ query })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { [field]: [expect.any(String)] },
    })
  })
})

describe('a user', () => {
  test('sees public and password groups, and private ones they are in', async () => {
    expect(guidsOf(await listGroups({ onBehalfOf: 'ann' }))).toEqual(all)
    expect(guidsOf(await listGroups({ onBehalfOf: 'bob' }))).toEqual(without('attic'))
    const { data, meta } = await listGroups({ onBehalfOf: 'gus' })
    expect(guidsOf({ data })).toEqual(without('attic', 'den'))
    expect(meta.pagination.total).toBe(4)
  })

  test('sees the groups they have joined, with their scope', async () => {
    const { data } = await listGroups({ query: { hasJoined: true }, onBehalfOf: 'bob' })
    expect(data).toMatchObject([
      { guid: 'chess', hasJoined: true, scope: 'admin' },
      { guid: 'den', hasJoined: true, scope: 'participant' },
    ])
    expect(guidsOf(await listGroups({ query: { hasJoined: false }, onBehalfOf: 'bob' }))).toEqual(
      without('attic'),
    )
  })

  test('must exist', async () => {
    await expect(listGroups({ onBehalfOf: 'nobody' })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })

  test('of a role sees the types that the role allows, or nothing at all', async () => {
    const set = (permissions: Record<string, string | string[] | null>) =>
      setRolePermissions({ params: { role: 'guest' }, body: { permissions } })
    const seen = async (query: Query = {}) =>
      guidsOf(await listGroups({ query, onBehalfOf: 'gus' }))
    await set({ 'listGroups.allowedGroupTypes': ['password'] })
    expect(await seen()).toEqual(['art-2'])
    expect(await seen({ type: 'public' })).toEqual([])
    await set({ 'listGroups.allowedGroupTypes': null, listGroups: 'deny' })
    await expect(seen()).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await set({ listGroups: null })
    expect(await seen()).toHaveLength(4)
    const featuresToRestrict = ['listGroups']
    await restrictFeatures({ params: { role: 'guest' }, body: { featuresToRestrict } })
    await expect(seen()).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  })
})

describe('pages', () => {
  const orders: Query[] = [
    {},
    { sortOrder: 'desc' },
    { sortBy: 'guid' },
    { sortBy: 'createdAt', sortOrder: 'desc' },
  ]
  test.each(orders)(
    'in the order %o hold every group once, by number and by cursor',
    async (order) => {
      const list = (at: Query) =>
        listGroups({ query: { ...order, ...at, perPage: 2 }, onBehalfOf: 'bob' })
      const whole = guidsOf(await listGroups({ query: order, onBehalfOf: 'bob' }))
      expect((await walkByPage(list)).map((data) => guidsOf({ data }))).toEqual(pairs(whole))
      const behind = (await walkByCursor(list)).flatMap((data) => guidsOf({ data }))
      expect(behind).toEqual(whole)
    },
  )

  test('behind a cursor are not counted: there is one more behind a full page', async () => {
    const first = await listGroups({ query: { perPage: 2 } })
    const cursor = first.meta.cursor.next ?? ''
    const { meta } = await listGroups({ query: { perPage: 2, cursor } })
    expect(first.meta.pagination).toMatchObject({ total: 6, total_pages: 3, count: 2 })
    expect(meta.pagination).toMatchObject({ total: 3, total_pages: 2, count: 2 })
    expect(first.meta.cursor).toMatchObject({ affix: 'prepend', updatedAt: expect.any(Number) })
  })
})

function without(...guids: string[]): string[] {
  return all.filter((guid) => !guids.includes(guid))
}

function keyOf(...key: unknown[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

function pairs(items: readonly string[]): string[][] {
  const result: string[][] = []
  for (let start = 0; start < items.length; start += 2) result.push(items.slice(start, start + 2))
  return result
}
