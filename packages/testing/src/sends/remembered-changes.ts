export interface Outcome {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  readonly body: any
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  onBehalfOf?: string,
) => Promise<Outcome>

/** Something that decides whether or how a message is sent, and that a process remembers. */
export interface Change {
  readonly what: string
  apply(api: Call, management: Call): Promise<unknown>
  undo(api: Call, management: Call): Promise<unknown>
  /** Who sends; `key` by the app's key on behalf of ann, `device` and `jwt` by a token of ann's. */
  readonly by: 'key' | 'secondKey' | 'app' | 'device' | 'jwt'
  readonly to: 'user' | 'group'
  /** What the message has beside its text. */
  readonly more?: object
  /** A page of the conversation is refused with the same error. */
  readonly alsoReads?: true
  /** Whether the outcome of a send is one after the change. */
  readonly shows: (outcome: Outcome) => boolean
}

const refused =
  (code: string) =>
  ({ body }: Outcome) =>
    body.error?.code === code
const shown =
  (look: (data: Outcome['body']) => unknown) =>
  ({ status, body }: Outcome) =>
    status === 200 && look(body.data) === true

/** Made by `prepare`, and anew where a change takes one away. */
export const made = { secondKey: '', device: '', jwt: '', gateUrl: '', issuer: '', jwksUrl: '' }

/** Every change undone leaves a world in which each of the senders can send. */
export const changes: readonly Change[] = [
  {
    what: 'an API key is deleted',
    apply: (api) => api('DELETE', `/apikeys/${made.secondKey}`),
    undo: makeSecondKey,
    by: 'secondKey',
    to: 'user',
    alsoReads: true,
    shows: refused('AUTH_ERR_APIKEY_NOT_FOUND'),
  },
  {
    what: 'the issuer of a JWT is not trusted any more',
    apply: (api) => api('DELETE', '/issuers/login'),
    undo: makeIssuer,
    by: 'jwt',
    to: 'user',
    alsoReads: true,
    shows: refused('AUTH_ERR_JWT_REFUSED'),
  },
  {
    what: 'the issuer of a JWT may sign for others only',
    apply: (api) => api('PUT', '/issuers/login', { audiences: ['shop'] }),
    undo: (api) => api('PUT', '/issuers/login', { audiences: ['chat'] }),
    by: 'jwt',
    to: 'group',
    alsoReads: true,
    shows: refused('AUTH_ERR_JWT_REFUSED'),
  },
  {
    what: 'an API key loses its scope',
    apply: (api) => api('PUT', `/apikeys/${made.secondKey}`, { scope: 'authOnly' }),
    undo: (api) => api('PUT', `/apikeys/${made.secondKey}`, { scope: 'fullAccess' }),
    by: 'secondKey',
    to: 'user',
    alsoReads: true,
    shows: refused('AUTH_ERR_NO_ACCESS'),
  },
  {
    what: 'an auth token is deleted',
    apply: (api) => api('DELETE', `/users/ann/auth_tokens/${made.device}`),
    undo: makeDevice,
    by: 'device',
    to: 'user',
    alsoReads: true,
    shows: refused('AUTH_ERR_AUTH_TOKEN_NOT_FOUND'),
  },
  {
    what: 'all auth tokens of the sender are deleted',
    apply: (api) => api('DELETE', '/users/ann/auth_tokens'),
    undo: makeDevice,
    by: 'device',
    to: 'group',
    alsoReads: true,
    shows: refused('AUTH_ERR_AUTH_TOKEN_NOT_FOUND'),
  },
  {
    what: 'the sender is deactivated',
    apply: (api) => api('DELETE', '/users', { uidsToDeactivate: ['ann'] }),
    undo: (api) => api('PUT', '/users', { uidsToActivate: ['ann'] }),
    by: 'key',
    to: 'user',
    alsoReads: true,
    shows: refused('ERR_UID_NOT_FOUND'),
  },
  {
    what: 'the receiver is deactivated',
    apply: (api) => api('DELETE', '/users', { uidsToDeactivate: ['bob'] }),
    undo: (api) => api('PUT', '/users', { uidsToActivate: ['bob'] }),
    by: 'app',
    to: 'user',
    shows: refused('ERR_UID_NOT_FOUND'),
  },
  {
    what: 'the sender gets another role',
    apply: (api) => api('PUT', '/users/ann', { role: 'silent' }),
    undo: (api) => api('PUT', '/users/ann', { role: 'default' }),
    by: 'device',
    to: 'user',
    shows: refused('ERR_PERMISSION_DENIED'),
  },
  {
    what: 'the role of the sender is denied to send',
    apply: (api) =>
      api('PUT', '/roles/default/permissions', { permissions: { sendMessage: 'deny' } }),
    undo: (api) => api('DELETE', '/roles/default/permissions/sendMessage'),
    by: 'key',
    to: 'group',
    shows: refused('ERR_PERMISSION_DENIED'),
  },
  {
    what: 'a feature is restricted for the role of the sender',
    apply: (api) =>
      api('POST', '/roles/default/restrictedfeatures', { featuresToRestrict: ['createMessage'] }),
    undo: (api) =>
      api('DELETE', '/roles/default/restrictedfeatures', { featuresToAllow: ['createMessage'] }),
    by: 'device',
    to: 'group',
    shows: refused('ERR_PERMISSION_DENIED'),
  },
  {
    what: 'the receiver blocks the sender',
    apply: (api) => api('POST', '/users/bob/blockedusers', { blockedUids: ['ann'] }),
    undo: (api) => api('DELETE', '/users/bob/blockedusers', { blockedUids: ['ann'] }),
    by: 'key',
    to: 'user',
    shows: refused('ERR_BLOCKED_SENDER'),
  },
  {
    what: 'the sender blocks the receiver',
    apply: (api) => api('POST', '/users/ann/blockedusers', { blockedUids: ['bob'] }),
    undo: (api) => api('DELETE', '/users/ann/blockedusers', { blockedUids: ['bob'] }),
    by: 'device',
    to: 'user',
    shows: refused('ERR_BLOCKED_RECEIVER'),
  },
  {
    what: 'the two are friends no more, and only friends may be written to',
    apply: (api) => api('DELETE', '/users/ann/friends', { friends: ['bob'] }),
    undo: (api) => api('POST', '/users/ann/friends', { accepted: ['bob'] }),
    by: 'key',
    to: 'user',
    shows: refused('ERR_PERMISSION_DENIED'),
  },
  {
    what: 'the sender is banned from the group',
    apply: (api) => api('POST', '/groups/crew/bannedusers/ann'),
    async undo(api) {
      await api('DELETE', '/groups/crew/bannedusers/ann')
      await api('POST', '/groups/crew/members', { participants: ['ann'] })
    },
    by: 'key',
    to: 'group',
    shows: refused('ERR_BANNED_GROUPMEMBER'),
  },
  {
    what: 'the sender is kicked out of the group',
    apply: (api) => api('DELETE', '/groups/crew/members/ann'),
    undo: (api) => api('POST', '/groups/crew/members', { participants: ['ann'] }),
    by: 'device',
    to: 'group',
    shows: refused('ERR_GROUP_NOT_JOINED'),
  },
  {
    what: 'the scope of the sender is denied to send in the group',
    apply: (api) =>
      api('PUT', '/groups/crew/scopes/participant/permissions', {
        permissions: { sendMessage: 'deny' },
      }),
    undo: (api) => api('DELETE', '/groups/crew/scopes/participant/permissions/sendMessage'),
    by: 'key',
    to: 'group',
    shows: refused('ERR_PERMISSION_DENIED'),
  },
  {
    what: 'the scope of the sender changes',
    apply: (api) => api('PUT', '/groups/crew/members/ann', { scope: 'moderator' }),
    undo: (api) => api('PUT', '/groups/crew/members/ann', { scope: 'participant' }),
    by: 'key',
    to: 'group',
    shows: shown(({ data }) => data.entities.receiver.entity.scope === 'moderator'),
  },
  {
    what: 'a setting of the app',
    apply: (_, management) =>
      management('POST', '/settings', { settings: { 'api.lenientInput': false } }),
    undo: (_, management) => management('DELETE', '/settings', { settings: ['api.lenientInput'] }),
    by: 'key',
    to: 'user',
    more: { tags: 'no list' },
    shows: refused('ERR_BAD_REQUEST'),
  },
  {
    what: 'a rule of moderation',
    apply: (api) =>
      api('POST', '/moderation/rules', {
        id: 'hello',
        name: 'Hello',
        conditions: [{ category: 'word', value: 'hello' }],
      }),
    undo: (api) => api('DELETE', '/moderation/rules/hello'),
    by: 'key',
    to: 'user',
    shows: shown(({ data }) => data.moderation?.status === 'disapproved'),
  },
  {
    what: 'a webhook is asked before a message',
    apply: (_, management) =>
      management('POST', '/webhooks', {
        id: 'gate',
        name: 'Gate',
        webhookURL: made.gateUrl,
        version: 'v1',
        enabled: true,
        triggers: ['before_message'],
      }),
    undo: (_, management) => management('DELETE', '/webhooks/gate'),
    by: 'key',
    to: 'user',
    shows: refused('ERR_BLOCKED_BY_WEBHOOK'),
  },
  {
    what: 'the name of the sender',
    apply: (api) => api('PUT', '/users/ann', { name: 'Annabel' }),
    undo: (api) => api('PUT', '/users/ann', { name: 'Ann' }),
    by: 'device',
    to: 'group',
    shows: shown(({ data }) => data.entities.sender.entity.name === 'Annabel'),
  },
  {
    what: 'the name of the receiver',
    apply: (api) => api('PUT', '/users/bob', { name: 'Bobby' }),
    undo: (api) => api('PUT', '/users/bob', { name: 'Bob' }),
    by: 'app',
    to: 'user',
    shows: shown(({ data }) => data.entities.receiver.entity.name === 'Bobby'),
  },
  {
    what: 'the name of the group',
    apply: (api) => api('PUT', '/groups/crew', { name: 'Staff' }),
    undo: (api) => api('PUT', '/groups/crew', { name: 'Crew' }),
    by: 'key',
    to: 'group',
    shows: shown(({ data }) => data.entities.receiver.entity.name === 'Staff'),
  },
  {
    what: 'the number of members of the group',
    apply: (api) => api('POST', '/groups/crew/members', { participants: ['bob'] }),
    undo: (api) => api('DELETE', '/groups/crew/members/bob'),
    by: 'key',
    to: 'group',
    shows: shown(({ data }) => data.entities.receiver.entity.membersCount === 3),
  },
]

export async function makeSecondKey(api: Call): Promise<void> {
  const { body } = await api('POST', '/apikeys', { name: 'second', scope: 'fullAccess' })
  made.secondKey = body.data.apiKey
}

export async function makeIssuer(api: Call): Promise<void> {
  const { issuer, jwksUrl } = made
  await api('POST', '/issuers', { id: 'login', issuer, jwksUrl, audiences: ['chat'] })
}

export async function makeDevice(api: Call): Promise<void> {
  const { body } = await api('POST', '/users/ann/auth_tokens', { force: true })
  made.device = body.data.authToken
}
