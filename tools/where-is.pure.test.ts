import { expect, test } from 'vitest'
import { disagreementsOf, rowsOf } from './where-is.ts'

const listUsers = { method: 'GET', path: '/users' }
const createUser = { method: 'POST', path: '/users' }
const operations = new Map(Object.entries({ listUsers, createUser }))

const described = {
  path: 'packages/contract/src/users/users.ts',
  exports: { users: { listUsers, createUser } },
}
const served = {
  path: 'packages/server/src/domain/users/users.ts',
  exports: {
    // Handlers are built with what main/ has opened; the map has opened nothing.
    userHandlers: ({ reads }: { reads: { openLoader(): unknown } }) => ({
      listUsers: reads.openLoader(),
      createUser() {},
    }),
  },
}
/** Names operations, and serves none. */
const titles = {
  path: 'packages/server/src/domain/roles/features.ts',
  exports: { titles: { listUsers: 'List users', createUser: 'Create a user' } },
}

const rows = rowsOf(operations, [described], [titles, served])

test('an operation leads to the file that describes it and to the file whose handlers serve it', () => {
  expect(rows).toEqual([
    expect.objectContaining({
      call: 'GET /users',
      name: 'listUsers',
      contract: described.path,
      server: served.path,
    }),
    expect.objectContaining({
      call: 'POST /users',
      name: 'createUser',
      contract: described.path,
      server: served.path,
    }),
  ])
  expect(disagreementsOf(rows, {})).toEqual([])
})

test('an operation that no file serves, or two files serve, is refused by name', () => {
  expect(() => rowsOf(operations, [described], [titles])).toThrow('handler listUsers')
  const copy = { ...served, path: 'packages/server/src/domain/groups/users.ts' }
  expect(() => rowsOf(operations, [described], [served, copy])).toThrow('handler listUsers')
})

test('an operation that another object of the same name describes is refused', () => {
  const copy = { ...described, exports: { users: { listUsers: { ...listUsers }, createUser } } }
  expect(() => rowsOf(operations, [copy], [served])).toThrow('operation listUsers')
})

const moved = rowsOf(
  operations,
  [described],
  [{ ...served, path: 'packages/server/src/domain/groups/users.ts' }],
)

test('a handler moved to another module is named, unless it is known to be there', () => {
  expect(disagreementsOf(moved, { createUser: 'users -> groups' })).toEqual([
    expect.stringMatching(/^listUsers: described in .*users\.ts, served in .*groups\/users\.ts/),
  ])
  const both = { listUsers: 'users -> groups', createUser: 'users -> groups' }
  expect(disagreementsOf(moved, both)).toEqual([])
})

test('a known exception that is no longer true is named', () => {
  expect(disagreementsOf(rows, { listUsers: 'users -> groups' })).toEqual([
    expect.stringContaining('listUsers: its modules are others now'),
  ])
  expect(disagreementsOf(rows, { removeUser: 'users -> groups' })).toEqual([
    expect.stringContaining('removeUser: its modules are others now'),
  ])
})
