import type { Filter } from '@chorale/contract/rules'
import { describe, expect, test } from 'vitest'
import { type Parties, type Party, passes } from './filters.ts'

const ada: Party = {
  entity: 'user',
  id: 'ada',
  name: 'Ada Lovelace',
  kind: 'guest',
  createdAt: 1000,
  tags: ['new', 'EU'],
}
const den: Party = {
  entity: 'group',
  id: 'den-1',
  name: 'The den',
  kind: 'public',
  createdAt: 2000,
  tags: [],
}
const toGroup: Parties = { sender: ada, receiver: den }
const toUser: Parties = { sender: ada, receiver: { ...ada, id: 'bob', kind: 'staff' } }

const says = (text: string) => {
  const [type, entity, operand, operator, ...value] = text.split('/')
  // Written as a line, for the table below.
  return { type, entity, operand, operator, value: value.join('/') } as Filter
}

describe('a message from a guest to a public group', () => {
  test.each([
    'sender/user/uid/equals/ADA',
    'sender/user/uid/not equals/bob',
    'sender/user/name/startsWith/ada ',
    'sender/user/role/in/staff, guest',
    'sender/user/role/not in/staff,bot',
    'sender/user/tags/equals/eu',
    'sender/user/tags/in/us,eu',
    'sender/user/tags/not in/us',
    'sender/user/createdAt/lessThan/1001',
    'receiver/group/guid/startsWith/den-',
    'receiver/group/type/equals/public',
    'receiver/group/name/endsWith/DEN',
    'receiver/group/createdAt/greaterThan/1999',
    'receiver/group/tags/notIn/a',
    'receiver/group/guid/notEquals/den',
    'sender/group/guid/equals/den-1',
  ])('passes %s', (filter) => {
    expect(passes([says(filter)], toGroup)).toBe(true)
  })

  test.each([
    'sender/user/uid/equals/bob',
    'sender/user/uid/not equals/ada',
    'sender/user/role/in/staff',
    'sender/user/role/not in/guest',
    'sender/user/tags/equals/e',
    'sender/user/createdAt/lessThan/1000',
    'sender/user/createdAt/greaterThan/1000',
    'receiver/group/type/equals/private',
    'receiver/group/tags/equals/new',
    'receiver/user/uid/not equals/bob',
  ])('does not pass %s', (filter) => {
    expect(passes([says(filter)], toGroup)).toBe(false)
  })
})

test('all filters must hold, and none is needed', () => {
  const [yes, no] = [says('receiver/user/role/equals/staff'), says('sender/user/uid/equals/bob')]
  expect([[], [yes], [yes, no], [no]].map((filters) => passes(filters, toUser))).toEqual([
    ...[true, true, false, false],
  ])
})
