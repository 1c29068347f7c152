import { allOperations } from '@chorale/contract/api'
import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
await app.given.users('ann', 'bob', 'cid')
await app.given.user('red', { tags: ['red'] })
await app.given.user('blue', { tags: ['blue'] })
await app.given.role('chef')
await app.given.user('cook', { role: 'chef' })
await app.given.group('tea', { owner: 'ann', tags: ['prepared'], members: { moderators: ['bob'] } })
await app.given.group('ice', { owner: 'ann', type: 'private', tags: ['cold'] })
await app.given.group('inn', { owner: 'ann' })
const inTea = { receiverType: 'group' } as const
const text = await app.given.message('ann', 'tea', { ...inTea, tags: ['x'], data: { text: 'one' } })
const custom = await app.given.message('ann', 'tea', {
  ...inTea,
  category: 'custom',
  type: 'place',
  tags: ['y'],
  data: { customData: { a: 1 } },
})
const image = await app.given.message('ann', 'tea', {
  ...inTea,
  type: 'image',
  data: { attachments: [{ url: 'https://x.example/a.png' }] },
})
const { sentAt } = text
await app.as('full').updateGroupConversation({
  params: { guid: 'tea' },
  onBehalfOf: 'ann',
  body: { tags: ['mine'] },
})

async function get(path: string, onBehalfOf?: string) {
  const headers = { appId: app.appId, apikey: app.keys.full, ...(onBehalfOf && { onBehalfOf }) }
  return send(app.origin, { path: `/v3${encodeURI(path)}`, headers })
}

/** Of each row, what it is known by. */
async function rows(path: string, onBehalfOf?: string): Promise<string[]> {
  const answer = await get(path, onBehalfOf)
  expect(answer.status, answer.text).toBe(200)
  const { data } = JSON.parse(answer.text) as { data: Record<string, string>[] }
  return data.map(({ uid, guid, id, conversationId }) => uid ?? guid ?? id ?? conversationId ?? '')
}

/** As clients write a list of two. */
const spellings = (name: string, a: string, b: string) => [
  `${name}[]=${a}&${name}[]=${b}`,
  `${name}[0]=${a}&${name}[1]=${b}`,
  `${name}=${a}&${name}=${b}`,
  `${name}=${a},${b}`,
  `${name}=["${a}","${b}"]`,
]

describe('a list in a query is understood, however it is written', () => {
  const cases: [path: string, name: string, a: string, b: string, found: string[], as?: string][] =
    [
      ['/users', 'uids', 'ANN', 'bob', ['ann', 'bob']],
      ['/users', 'tags', 'red', 'blue', ['blue', 'red']],
      ['/users', 'roles', 'chef', 'nobody', ['cook']],
      ['/users?searchKey=red', 'searchIn', 'name', 'uid', ['red']],
      ['/groups', 'tags', 'prepared', 'cold', ['ice', 'tea']],
      ['/groups', 'types', 'PRIVATE', 'password', ['ice']],
      ['/groups?searchKey=tea', 'searchIn', 'name', 'guid', ['tea']],
      ['/groups/tea/members', 'scopes', 'moderator', 'participant', ['bob']],
      ['/groups/tea/messages', 'categories', 'message', 'custom', [text.id, custom.id, image.id]],
      ['/groups/tea/messages', 'types', 'text', 'image', [text.id, image.id]],
      ['/groups/tea/messages', 'tags', 'x', 'y', [text.id, custom.id]],
      ['/users/ann/messages', 'types', 'text', 'image', [text.id, image.id]],
      ['/messages', 'types', 'text', 'place', [text.id, custom.id]],
      ['/messages', 'types', 'text', 'place', [text.id, custom.id], 'ann'],
      ['/conversations', 'tags', 'mine', 'other', ['group_tea'], 'ann'],
      ['/conversations', 'groupTags', 'prepared', 'none', ['group_tea'], 'ann'],
    ]

  test.each(cases)('%s by %s', async (path, name, a, b, found, as) => {
    for (const spelling of spellings(name, a, b)) {
      const query = `${path}${path.includes('?') ? '&' : '?'}${spelling}`
      expect(await rows(query, as), query).toEqual(found)
    }
  })
})

test('one that names nothing is refused: it means neither everybody nor nobody', async () => {
  const lists = [...allOperations.values()].flatMap(({ method, path, query, requires }) => {
    const fields = Object.entries(query?.properties ?? {})
    const names = fields
      .filter(([, schema]) => 'type' in schema && schema.type === 'array')
      .map(([name]) => name)
    return requires === 'fullAccess' && method === 'GET'
      ? names.map((name) => ({ path, name }))
      : []
  })
  expect(lists.length).toBeGreaterThan(15)
  for (const { path, name } of lists) {
    const place = path.replace(':guid', 'tea').replace(':uid', 'ann').replace(':id', text.id)
    const answer = await get(`${place}?${name}=`, 'ann')
    expect(answer.status, `${path} ${name}`).toBe(400)
    expect(errorOf(answer).details, `${path} ${name}`).toEqual({
      [name]: ['Name at least one, or leave this out.'],
    })
  }
})

describe('a time in a query is one in seconds or in milliseconds', () => {
  const all = [text.id, custom.id, image.id]
  const category = 'categories[]=message&categories[]=custom'

  test.each(['/groups/tea/messages', '/users/ann/messages', '/messages'])('%s', async (path) => {
    const from = (at: number) => rows(`${path}?${category}&fromTimestamp=${at}`)
    const to = (at: number) => rows(`${path}?${category}&fromTimestamp=1&toTimestamp=${at}`)
    const since = (at: number) => rows(`${path}?${category}&affix=append&sentAt=${at}`)
    for (const unit of [1, 1000]) {
      expect(await from((sentAt - 10) * unit)).toEqual(all)
      expect(await from((sentAt + 1000) * unit)).toEqual([])
      expect(await to((sentAt + 1000) * unit)).toEqual(all)
      expect(await to((sentAt - 10) * unit)).toEqual([])
      expect(await since((sentAt - 10) * unit)).toEqual(all)
      expect(await since((sentAt + 1000) * unit)).toEqual([])
    }
  })

  test('groups that have changed', async () => {
    for (const unit of [1, 1000]) {
      const since = (at: number) => rows(`/groups?updatedAt=${at * unit}&affix=append`)
      expect(await since(sentAt + 1000)).toEqual([])
    }
  })

  test.each(['2024-01-01', 'yesterday', '-5', '99999999999999'])('%s is refused', async (at) => {
    const answer = await get(`/groups/tea/messages?fromTimestamp=${at}`)
    expect(errorOf(answer).details).toHaveProperty('fromTimestamp')
  })
})
