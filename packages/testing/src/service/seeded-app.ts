import { expect } from 'vitest'
import { send, type WireAnswer } from '../network/wire.ts'
import type { Known } from '../requests/right-place.ts'
import { createApp } from './bare-service.ts'

interface Service {
  readonly origin: string
  readonly management: { readonly key: string; readonly secret: string }
  /** Of an owner of the install. */
  readonly session?: string
}

interface Seeded {
  readonly known: Known
  normalCall(): Promise<WireAnswer>
}

const cursors = [['ada', 'ada'], ['ada'], [1, 2], ['a\0b', 'ada'], ['\ud800', 'ada'], [], null].map(
  (key) => Buffer.from(JSON.stringify(key)).toString('base64url'),
)

/** An app in which most names that a request can mention exist. */
export async function seedDefaults({ origin, management, session = '' }: Service): Promise<Seeded> {
  const keys = await createApp(origin, management)
  const headers = { appId: keys.appId, apikey: keys.full }
  const post = async (path: string, given: object, more = {}) => {
    const body = JSON.stringify(given)
    const request = { method: 'POST', path, headers: { ...headers, ...more }, body }
    const answer = await send(origin, request)
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text).data
  }
  const uids = ['ada', 'bob', 'eve']
  for (const uid of uids) await post('/v3/users', { uid, name: uid, tags: ['a'] })
  await post('/v3/roles', { role: 'manager', name: 'Manager' })
  await post('/v3/groups', { guid: 'team', name: 'Team', type: 'public' })
  const message = { receiver: 'bob', receiverType: 'user', data: { text: 'hi' } }
  const { id } = await post('/v3/messages', message, { onBehalfOf: 'ada' })
  const { authToken } = await post('/v3/users/ada/auth_tokens', {})
  const { apiKey } = await post('/v3/apikeys', { name: 'Another', scope: 'fullAccess' })
  const jwksUrl = 'https://login.example/keys'
  const issuer = { id: 'login', issuer: 'https://login.example', jwksUrl, audiences: ['chat'] }
  await post('/v3/issuers', issuer)
  const known = {
    credentials: { ...headers, ...management, session },
    values: {
      uid: uids,
      guid: ['team'],
      conversationId: ['ada_user_bob', 'group_team'],
      role: ['manager', 'default'],
      appId: [keys.appId],
      apiKey: [apiKey, keys.auth],
      authToken: [authToken],
      permission: ['listUsers', 'createGroup'],
      timezone: ['Asia/Kolkata'],
      messageId: [String(id)],
      issuerId: ['login'],
      jwksUrl: [jwksUrl],
      allowedRoles: ['manager'],
      cursor: cursors,
      after: cursors,
    },
  }
  return { known, normalCall: () => send(origin, { path: '/v3/users', headers }) }
}
