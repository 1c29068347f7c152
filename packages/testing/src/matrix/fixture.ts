import type { Message } from '@chorale/contract/conversations'
import { expect } from 'vitest'
import { send } from '../network/wire.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'

/** Strings that only the victims may read: none may be in an answer to anybody else. */
export const secrets = {
  message: 'the-pin-is-4711',
  inGroup: 'the-plan-of-the-group',
  group: 'what-the-private-group-is-about',
  profile: 'private-part-of-the-profile',
} as const

/** What belongs to alice and bob, under the names of the parameters that mention it. */
export interface Victims {
  readonly ids: Readonly<Record<string, string>>
  readonly messageInGroup: string
  readonly form: string
  readonly authToken: string
}

export interface Fixture extends AsyncDisposable {
  readonly app: TestApp
  readonly victims: Victims
  /** Headers of each caller of the matrix, right before a call: none of them is a victim. */
  readonly callers: ReadonlyMap<CallerName, () => Promise<Readonly<Record<string, string>>>>
  /** All that a caller could have changed. */
  snapshot(): Promise<unknown>
}

export const callerNames = [
  'stranger',
  'key of another app',
  'token of another app',
  'authOnly key',
  'unrelated user',
  'former member',
  'blocked user',
  'banned user',
  'deactivated user',
  'revoked token',
] as const
export type CallerName = (typeof callerNames)[number]

/**
 * Two users with a conversation, a private group, tokens and settings; and everybody who has nothing
 * to do with them, or not any more.
 */
export async function startFixture(): Promise<Fixture> {
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await startTestApp({ shadow: false }))
  const full = app.as('full')
  const { appId } = app
  await app.given.user('alice', { metadata: { '@private': { note: secrets.profile } } })
  await app.given.users('bob', 'mallory', 'former', 'foe', 'outcast', 'idle', 'revoked')
  const described = { type: 'private', owner: 'alice', description: secrets.group } as const
  await app.given.group('priv', described)
  const params = { guid: 'priv' }
  await full.addMembers({ params, body: { participants: ['bob', 'former', 'outcast'] } })
  const dm = await app.given.message('alice', 'bob', { data: { text: secrets.message } })
  const inGroup = { receiverType: 'group', data: { text: secrets.inGroup } } as const
  const { id: messageInGroup } = await app.given.message('alice', 'priv', inGroup)
  const { id: form } = await app.given.message('alice', 'bob', {
    category: 'interactive',
    type: 'form',
    data: { interactiveData: { formFields: [{ elementId: 'e1' }] } },
  })
  const upload = { name: 'x', size: 1 }
  const { data: asked } = await full.createUpload({ onBehalfOf: 'alice', body: upload })
  await full.leaveGroup({ params, onBehalfOf: 'former' })
  await full.banUser({ params: { guid: 'priv', uid: 'outcast' } })
  await full.blockUsers({ params: { uid: 'alice' }, body: { blockedUids: ['foe'] } })
  const { authToken } = await app.device('alice')
  const other = await app.anotherApp()
  const elsewhere = app.client(other, 'full')
  await elsewhere.createUser({ body: { uid: 'alice', name: 'Alice' } })
  const { data: theirs } = await elsewhere.createAuthToken({ params: { uid: 'alice' } })
  const tokenOf = async (uid: string) => (await app.device(uid)).authToken
  const deviceOf = (uid: string) => async () => ({ appId, authToken: await tokenOf(uid) })
  const idle = await tokenOf('idle')
  const revoked = await tokenOf('revoked')
  await full.deactivateUsers({ body: { uidsToDeactivate: ['idle'] } })
  await full.deleteAuthTokens({ params: { uid: 'revoked' } })
  const owned = stack.move()
  return {
    app,
    victims: {
      ids: {
        uid: 'alice',
        guid: 'priv',
        id: dm.id,
        messageId: dm.id,
        appId,
        role: 'default',
        conversationId: 'alice_user_bob',
        apiKey: app.keys.full,
        authToken,
        permission: 'listUsers',
        scope: 'participant',
        reaction: 'x',
        uploadId: asked.uploadId,
      },
      messageInGroup,
      form,
      authToken,
    },
    callers: new Map<CallerName, () => Promise<Record<string, string>>>([
      ['stranger', async () => ({ appId })],
      ['key of another app', async () => ({ appId, apikey: other.full })],
      ['token of another app', async () => ({ appId, authToken: theirs.authToken })],
      ['authOnly key', async () => ({ appId, apikey: app.keys.auth, onBehalfOf: 'alice' })],
      ['unrelated user', deviceOf('mallory')],
      ['former member', deviceOf('former')],
      ['blocked user', deviceOf('foe')],
      ['banned user', deviceOf('outcast')],
      ['deactivated user', async () => ({ appId, authToken: idle })],
      ['revoked token', async () => ({ appId, authToken: revoked })],
    ]),
    snapshot: () => snapshotOf(app, { appId, authToken }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function snapshotOf(app: TestApp, headers: Record<string, string>): Promise<unknown> {
  const full = app.as('full')
  const alice = { params: { uid: 'alice' } }
  const priv = { params: { guid: 'priv' } }
  const messages = await full.listMessages({ query: { limit: 100, hideDeleted: false } })
  expect(messages.data.length).toBeGreaterThan(2)
  const { lastActiveAt: _, updatedAt: __, ...profile } = (await full.getUser(alice)).data
  return {
    profile,
    hasToken: (await send(app.origin, { path: '/v3/me', headers })).status,
    friends: (await full.listFriends(alice)).data,
    blocked: (await full.listBlockedUsers(alice)).data.map(({ uid }) => uid),
    group: (await full.getGroup(priv)).data,
    members: (await full.listMembers(priv)).data.map(({ uid, scope }) => [uid, scope]),
    banned: (await full.listBannedUsers(priv)).data.map(({ uid }) => uid),
    messages: messages.data.flatMap((message) => ('id' in message ? partsOf(message) : [])),
  }
}

/** Of a message of theirs, what others could have changed. */
function partsOf({ id, conversationId, data, editedAt, deletedAt, pinnedAt }: Message) {
  if (!['alice_user_bob', 'group_priv'].includes(conversationId)) return []
  return [{ id, text: data.text, reactions: data.reactions, editedAt, deletedAt, pinnedAt }]
}
