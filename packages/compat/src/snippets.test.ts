import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listeners } from '../../server/src/listeners.ts'
import { importByAlias } from '../../testing/src/compat/alias.ts'
import type { Context, Snippets } from '../../testing/src/compat/context.ts'
import { conversations } from '../../testing/src/compat/conversations.ts'
import { groups } from '../../testing/src/compat/groups.ts'
import { lists } from '../../testing/src/compat/lists.ts'
import { live } from '../../testing/src/compat/live.ts'
import { recording } from '../../testing/src/compat/recorder.ts'
import { sends } from '../../testing/src/compat/sends.ts'
import { session } from '../../testing/src/compat/session.ts'
import { users } from '../../testing/src/compat/users.ts'
import { startRealtimeFixture } from '../../testing/src/service/realtime-fixture.ts'
import { allNames } from './names/names.ts'
import { tableOf } from './names/table.ts'

// What the hosted SDK's documentation shows, run against the real service through an npm alias. One after the
// other: there is one login, as in an app.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
let context: Context
let used: ReadonlySet<string>

beforeAll(async () => {
  const fixture = stack.use(await startRealtimeFixture())
  fixture.app.startWorker(listeners)
  const recorder = recording(await importByAlias('@cometchat/chat-sdk-javascript'))
  const { CometChat } = recorder
  used = recorder.used
  context = { ...fixture, CometChat }
  stack.defer(() => CometChat.logout().then(() => undefined))
  await fixture.app.given.users('ann', 'bob', 'cara', 'dan')
})

const parts: Readonly<Record<string, Snippets>> = {
  session,
  users,
  groups,
  sends,
  lists,
  conversations,
  live,
}

describe.each(Object.entries(parts))('%s', (_, snippets) => {
  test.each(Object.entries(snippets))('%s', async (_, run) => {
    await run(context)
  })
})

test('there are fifty of them', () => {
  expect(Object.values(parts).flatMap((part) => Object.keys(part)).length).toBeGreaterThan(49)
})

test('every name that the table has as working was used by a snippet', () => {
  const names = allNames().filter(({ status, name, inheritedFrom }) => {
    return status !== 'missing' && inheritedFrom === undefined && !isPlainSetter(name)
  })
  expect(names.filter(({ name }) => !used.has(name)).map(({ name }) => name)).toEqual([])
})

/** Every field has one, so that an app can make up an object; few are documented. */
function isPlainSetter(name: string): boolean {
  return /^\w+\.set[A-Z]/.test(name) && !name.includes('Builder.')
}

test('the table of names', async () => {
  const names = allNames().filter(({ name }) => !isPlainSetter(name) || used.has(name))
  await expect(tableOf(names)).toMatchFileSnapshot('../../../docs/compat-names.md')
})
