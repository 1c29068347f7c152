import { ChoraleError } from '@chorale/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  banUser,
  changeMemberScope,
  deleteGroup,
  kickMember,
  listBannedUsers,
  transferGroupOwnership,
  unbanUser,
  updateGroup,
} = app.as('full')

/** Who acts. The app acts on behalf of nobody. */
const actors = ['participant', 'moderator', 'admin', 'owner', 'app'] as const
type Actor = (typeof actors)[number]
type As = { readonly onBehalfOf?: string }

beforeAll(async () => {
  await app.given.users('participant', 'moderator', 'admin', 'owner', 'new', 'banned')
  await app.given.users('participant-2', 'moderator-2', 'admin-2')
})

let groups = 0
async function freshGroup(): Promise<string> {
  const guid = `group-${groups++}`
  await app.given.group(guid, {
    owner: 'owner',
    members: {
      admins: ['admin', 'admin-2'],
      moderators: ['moderator', 'moderator-2'],
      participants: ['participant', 'participant-2'],
      usersToBan: ['banned'],
    },
  })
  return guid
}

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'yes'
  } catch (error) {
    if (error instanceof ChoraleError) return error.code
    throw error
  }
}

const kick = (uid: string) => (guid: string, as: As) => kickMember({ params: { guid, uid }, ...as })
const ban = (uid: string) => (guid: string, as: As) => banUser({ params: { guid, uid }, ...as })
const give =
  (uid: string, scope: 'admin' | 'moderator' | 'participant') => (guid: string, as: As) =>
    changeMemberScope({ params: { guid, uid }, body: { scope }, ...as })

const yes = 'yes'
const moderator = 'ERR_GROUP_NO_MODERATOR_SCOPE'
const admin = 'ERR_GROUP_NO_ADMIN_SCOPE'
const clearance = 'ERR_GROUP_NO_CLEARANCE'
const scope = 'ERR_GROUP_NO_SCOPE_CLEARANCE'
const self = 'ERR_GROUP_NO_SELF_ACTION'

type Answers = readonly [string, string, string, string, string]
type Act = (guid: string, as: As) => Promise<unknown>

/** In the order of the actors. */
const table: [string, Act, Answers][] = [
  [
    'update the group',
    (guid, as) => updateGroup({ params: { guid }, body: { name: 'x' }, ...as }),
    [moderator, yes, yes, yes, yes],
  ],
  ['kick a participant', kick('participant-2'), [clearance, yes, yes, yes, yes]],
  ['kick a moderator', kick('moderator-2'), [clearance, clearance, yes, yes, yes]],
  ['kick an admin', kick('admin-2'), [clearance, clearance, yes, yes, yes]],
  ['kick the owner', kick('owner'), [clearance, clearance, clearance, self, clearance]],
  ['ban a participant', ban('participant-2'), [clearance, yes, yes, yes, yes]],
  ['ban a moderator', ban('moderator-2'), [clearance, clearance, yes, yes, yes]],
  ['ban an admin', ban('admin-2'), [clearance, clearance, yes, yes, yes]],
  ['ban the owner', ban('owner'), [clearance, clearance, clearance, self, clearance]],
  ['ban who is not in it', ban('new'), [clearance, yes, yes, yes, yes]],
  [
    'unban',
    (guid, as) => unbanUser({ params: { guid, uid: 'banned' }, ...as }),
    [moderator, yes, yes, yes, yes],
  ],
  [
    'list the banned',
    (guid, as) => listBannedUsers({ params: { guid }, ...as }),
    [moderator, yes, yes, yes, yes],
  ],
  ['make a participant moderator', give('participant-2', 'moderator'), [scope, yes, yes, yes, yes]],
  ['make a moderator participant', give('moderator-2', 'participant'), [scope, yes, yes, yes, yes]],
  ['make a participant admin', give('participant-2', 'admin'), [scope, scope, yes, yes, yes]],
  ['make an admin participant', give('admin-2', 'participant'), [scope, scope, yes, yes, yes]],
  ['change the owner’s scope', give('owner', 'participant'), [scope, scope, scope, self, scope]],
  [
    'add members',
    (guid, as) => addMembers({ params: { guid }, body: { participants: ['new'] }, ...as }),
    [admin, admin, yes, yes, yes],
  ],
  [
    'delete the group',
    (guid, as) => deleteGroup({ params: { guid }, ...as }),
    [admin, admin, yes, yes, yes],
  ],
  [
    'hand the group over',
    (guid, as) => transferGroupOwnership({ params: { guid }, body: { owner: 'admin-2' }, ...as }),
    [clearance, clearance, clearance, yes, yes],
  ],
]

describe('who may', () => {
  test.each(table)('%s', async (_, act, expected) => {
    const answers: Partial<Record<Actor, string>> = {}
    let guid = await freshGroup()
    for (const actor of actors) {
      const as = actor === 'app' ? {} : { onBehalfOf: actor }
      const answer = await outcome(act(guid, as))
      answers[actor] = answer
      // What was refused has changed nothing.
      if (answer === yes && actor !== 'app') guid = await freshGroup()
    }
    expect(answers).toEqual(Object.fromEntries(actors.map((actor, n) => [actor, expected[n]])))
  })

  test('nobody acts on themselves', async () => {
    const guid = await freshGroup()
    for (const uid of ['participant', 'moderator', 'admin', 'owner']) {
      for (const act of [kick(uid), ban(uid), give(uid, 'admin')]) {
        expect(await outcome(act(guid, { onBehalfOf: uid }))).toBe(self)
      }
    }
  })

  test('the owner may do everything even without the scope of an admin', async () => {
    await app.given.group('plain')
    await addMembers({ params: { guid: 'plain' }, body: { participants: ['owner', 'new'] } })
    await updateGroup({ params: { guid: 'plain' }, body: { owner: 'owner' } })
    expect(await outcome(kick('new')('plain', { onBehalfOf: 'owner' }))).toBe(yes)
  })
})
