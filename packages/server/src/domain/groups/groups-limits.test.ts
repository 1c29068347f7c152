import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

type Body = CallInput<Api['createGroup']>['body']

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { addMembers, createGroup, getGroup, updateGroup } = app.as('full')

const family = '👨‍👩‍👧'
// Each of these is one character for the database and two units for JavaScript.
const emoji = (count: number) => '🫖'.repeat(count)
const tagsOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `${String(n).padStart(2, '0')}${emoji(length - 2)}`)

const accepted: [string, Partial<Body>][] = [
  ['a guid of 100 characters', { guid: 'g'.repeat(100) }],
  ['a guid of dashes, underscores and digits', { guid: '0_a-B' }],
  ['a name of 100 characters', { name: 'é'.repeat(100) }],
  ['a name of 100 emoji', { name: emoji(100) }],
  ['a name of joined emoji', { name: family }],
  ['a description of 255 emoji', { description: emoji(255) }],
  ['a password of 100 emoji', { type: 'password', password: emoji(100) }],
  ['25 tags of 100 emoji', { tags: tagsOf(25, 100) }],
  [
    'an icon with an address of 3000 characters',
    { icon: `https://example.com/${'i'.repeat(2980)}` },
  ],
  ['5 KB of metadata', { metadata: { text: 'x'.repeat(5100) } }],
]
test.each(accepted)('section 8: accepts %s and gives it back as it was', async (_, more) => {
  const guid = more.guid ?? `g${accepted.findIndex(([, other]) => other === more)}`
  const { password, ...shown } = { name: 'x', ...more, guid: guid.toLowerCase() }
  await createGroup({ body: { type: 'public', name: 'x', ...more, guid } })
  expect((await getGroup({ params: { guid } })).data).toMatchObject(shown)
})

const refused: [string, Partial<Record<keyof Body, unknown>>, string][] = [
  ['a guid of 101 characters', { guid: 'g'.repeat(101) }, 'guid'],
  ['an empty guid', { guid: '' }, 'guid'],
  ['a blank in the guid', { guid: 'a b' }, 'guid'],
  ['a letter with an accent in the guid', { guid: 'thé' }, 'guid'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of 101 emoji', { name: emoji(101) }, 'name'],
  ['a type that does not exist', { type: 'secret' }, 'type'],
  ['the filter’s name for password groups', { type: 'protected', password: 'x' }, 'type'],
  ['a description of 256 emoji', { description: emoji(256) }, 'description'],
  ['a password of 101 characters', { type: 'password', password: 'p'.repeat(101) }, 'password'],
  ['26 tags', { tags: tagsOf(26, 3) }, 'tags'],
  ['a tag of 101 characters', { tags: ['t'.repeat(101)] }, 'tags.0'],
  ['an icon that is no address', { icon: 'tea.png' }, 'icon'],
  ['more than 5 KB of metadata', { metadata: { text: 'x'.repeat(5120) } }, 'metadata'],
  ['a list of 26 members', { members: { admins: uids(26) } }, 'members.admins'],
  [
    '26 members over all four lists',
    {
      members: { admins: uids(7), moderators: uids(7), participants: uids(6), usersToBan: uids(6) },
    },
    'members',
  ],
]
test.each(refused)('section 8: refuses %s', async (_, wrong, field) => {
  // Wrong on purpose, past the types.
  const body = { guid: 'wrong', name: 'x', type: 'public', ...wrong } as Body
  await expect(createGroup({ body })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    status: 400,
    details: { [field]: [expect.any(String)] },
  })
  await expect(getGroup({ params: { guid: 'wrong' } })).rejects.toMatchObject({
    code: 'ERR_GUID_NOT_FOUND',
  })
})

test('requirement 4.6: refuses a group without guid, name or type', async () => {
  const whole = { guid: 'some', name: 'Some', type: 'public' }
  for (const field of ['guid', 'name', 'type']) {
    const { [field]: _, ...rest } = whole as Record<string, string>
    // A field is missing on purpose, past the types.
    const body = rest as unknown as Body
    await expect(createGroup({ body })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { [field]: [expect.any(String)] },
    })
  }
})

test('section 8: an update has the same limits', async () => {
  await app.given.group('steady', { name: 'Steady' })
  const changes = [
    { name: emoji(101) },
    { description: emoji(256) },
    { password: 'p'.repeat(101) },
    { tags: tagsOf(26, 3) },
  ]
  for (const body of changes) {
    await expect(updateGroup({ params: { guid: 'steady' }, body })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { [Object.keys(body)[0] ?? '']: [expect.any(String)] },
    })
  }
  expect((await getGroup({ params: { guid: 'steady' } })).data.name).toBe('Steady')
})

test('section 8: 25 users over all four lists in one call, and not one more', async () => {
  for (const uid of uids(25)) await app.given.user(uid)
  await app.given.group('bus')
  const params = { guid: 'bus' }
  const lists = {
    admins: uids(25).slice(0, 7),
    moderators: uids(25).slice(7, 14),
    participants: uids(25).slice(14, 20),
    usersToBan: uids(25).slice(20),
  }
  await expect(
    addMembers({ params, body: { ...lists, participants: [...lists.participants, 'extra'] } }),
  ).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST', details: { members: [expect.any(String)] } })
  const { data } = await addMembers({ params, body: lists })
  const outcomes = Object.values(data).flatMap((list) => Object.values(list))
  expect(outcomes).toHaveLength(25)
  expect(outcomes.every(({ success }) => success)).toBe(true)
  expect((await getGroup({ params })).data.membersCount).toBe(20)
})

function uids(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `user-${n}`)
}
