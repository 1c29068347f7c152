// A back end with a client that was generated from the OpenAPI document of the service:
// redocly generate-client openapi.json --output chorale.ts --args-style grouped --error-mode result
// API_URL=... APP_ID=... API_KEY=... MANAGEMENT_URL=... MANAGEMENT_KEY=... MANAGEMENT_SECRET=... node chat.ts
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ErrorAnswer, Message, OperationId, OperationPath, OperationTag } from './chorale.ts'
import { createClient, OPERATIONS, type Ops, type Result } from './chorale.ts'

const env = (name: string) => process.env[name] ?? ''
const connect = createClient<Ops, OperationId, OperationPath, OperationTag>
const chat = connect(OPERATIONS, {
  serverUrl: env('API_URL'),
  errorMode: 'result',
  auth: { apiKey: { appId: env('APP_ID'), apikey: env('API_KEY') } },
})
const operator = connect(OPERATIONS, {
  serverUrl: env('MANAGEMENT_URL'),
  errorMode: 'result',
  auth: { apiKey: { key: env('MANAGEMENT_KEY'), secret: env('MANAGEMENT_SECRET') } },
})

let calls = 0

function note(what: string): void {
  calls += 1
  console.log(`ok ${calls} ${what}`)
}

/** What a call has answered; throws where it has failed. */
async function done<T>(what: string, call: Promise<Result<T, ErrorAnswer>>): Promise<T> {
  const { data, error } = await call
  if (error !== undefined) throw new Error(`${what}: ${JSON.stringify(error)}`)
  note(what)
  return data
}

/** The error of a call that is to fail. */
async function refused(what: string, status: number, call: Promise<Result<unknown, ErrorAnswer>>) {
  const { error, response } = await call
  equal(response.status, status, what)
  note(what)
  ok(error)
  return error.error
}

const as = (onBehalfOf: string) => ({ headers: { onBehalfOf } })
const uidsOf = ({ data }: { data: readonly { uid: string }[] }) => data.map(({ uid }) => uid)
const textsOf = ({ data }: { data: readonly unknown[] }) =>
  data.map((message) => (message as Message).data?.text)

/** To one receiver, one message. */
function theMessage({ data }: { data: Message | object }): Message {
  ok('id' in data)
  return data
}

async function signUp() {
  const ann = { uid: 'Ann', name: 'Ann', metadata: { plan: 'free' }, withAuthToken: true }
  const { data: user } = await done('sign up with a token', chat.createUser({ body: ann }))
  equal(user.uid, 'ann')
  ok(user.authToken?.startsWith('ann_'))
  deepEqual(user.metadata, { plan: 'free' })
  const taken = await refused('sign up again', 400, chat.createUser({ body: ann }))
  equal(taken.code, 'ERR_UID_ALREADY_EXISTS')
  const others = { bob: ['blue', 'tall'], cyd: ['red'], dee: [] }
  for (const [uid, tags] of Object.entries(others)) {
    await done(`sign up ${uid}`, chat.createUser({ body: { uid, name: uid.toUpperCase(), tags } }))
  }
  const path = { uid: 'bob' }
  const token = await done('create a token', chat.createAuthToken({ path, body: { force: true } }))
  equal(token.data.uid, 'bob')
  const tokens = await done('list tokens', chat.listAuthTokens({ path, query: { perPage: 5 } }))
  deepEqual(tokens.data, [token.data])
  const change = { statusMessage: 'away', unset: ['metadata' as const] }
  const { data: changed } = await done('update a user', chat.updateUser({ path, body: change }))
  equal(changed.statusMessage, 'away')
  const empty = await refused(
    'sign up with nothing',
    400,
    chat.createUser({ body: { uid: '', name: '' } }),
  )
  deepEqual(Object.keys(empty.details ?? {}), ['uid', 'name'])
}

async function listUsers() {
  const tagged = { tags: ['blue', 'red'], withTags: true }
  const found = await done('list users with tags', chat.listUsers({ query: tagged }))
  deepEqual(uidsOf(found), ['bob', 'cyd'])
  deepEqual(found.data[0]?.tags, ['blue', 'tall'])
  const page = await done('list a page', chat.listUsers({ query: { perPage: 3, page: 2 } }))
  deepEqual(page.meta.pagination, {
    total: 4,
    count: 1,
    per_page: 3,
    current_page: 2,
    total_pages: 2,
  })
  const search = { searchKey: 'an', searchIn: ['uid' as const], onlyDeactivated: false }
  deepEqual(uidsOf(await done('search users', chat.listUsers({ query: search }))), ['ann'])
  const nobody = await refused('get nobody', 404, chat.getUser({ path: { uid: 'nobody' } }))
  equal(nobody.code, 'ERR_UID_NOT_FOUND')
}

async function groups() {
  const members = { participants: ['bob'] }
  const body = { guid: 'team', name: 'Team', type: 'private' as const, owner: 'ann', members }
  const { data: group } = await done('create a group', chat.createGroup({ body }))
  equal(group.membersCount, 2)
  const taken = await refused('create it again', 400, chat.createGroup({ body }))
  equal(taken.code, 'ERR_GUID_ALREADY_EXISTS')
  const path = { guid: 'team' }
  const more = { participants: ['cyd'], admins: ['dee'] }
  const added = await done('add members', chat.addMembers({ path, body: more }))
  ok(added.data.participants?.cyd?.success && added.data.admins?.dee?.success)
  const scope = { scope: 'moderator' as const }
  const cyd = { ...path, uid: 'cyd' }
  await done('change a scope', chat.changeMemberScope({ path: cyd, body: scope }))
  const query = { scopes: ['moderator' as const, 'admin' as const] }
  const found = await done('list members by scope', chat.listMembers({ path, query }))
  deepEqual(uidsOf(found).sort(), ['ann', 'cyd', 'dee'])
  const joined = chat.listGroups({ query: { hasJoined: true }, ...as('bob') })
  deepEqual(
    (await done('list my groups', joined)).data.map(({ guid }) => guid),
    ['team'],
  )
}

async function messages() {
  const toTeam = { receiver: 'team', receiverType: 'group' as const }
  const says = (text: string) => ({ category: 'message' as const, type: 'text', data: { text } })
  const one = { ...toTeam, ...says('one'), tags: ['sum'] }
  const first = theMessage(await done('send a text', chat.sendMessage({ body: one, ...as('ann') })))
  equal(first.conversationId, 'group_team')
  const two = { ...toTeam, ...says('two') }
  const second = theMessage(
    await done('send another', chat.sendMessage({ body: two, ...as('bob') })),
  )
  const data = { customData: { latitude: 52.5 } }
  const custom = {
    receiver: 'bob',
    receiverType: 'user' as const,
    category: 'custom' as const,
    type: 'place',
    data,
  }
  const place = theMessage(
    await done('send a custom message', chat.sendMessage({ body: custom, ...as('ann') })),
  )
  deepEqual(place.data?.customData, data.customData)
  const several = { ...says('three'), multipleReceivers: { uids: ['bob', 'dee'], guids: ['team'] } }
  const { data: sent } = await done(
    'send to several',
    chat.sendMessage({ body: several, ...as('ann') }),
  )
  ok('uids' in sent && sent.uids)
  deepEqual(Object.keys(sent.uids).sort(), ['bob', 'dee'])

  const path = { guid: 'team' }
  const since = {
    fromTimestamp: Math.floor(Date.now() / 1000) - 600,
    categories: ['message' as const],
  }
  const found = await done(
    'list messages since',
    chat.listGroupMessages({ path, query: since, ...as('bob') }),
  )
  deepEqual(textsOf(found), ['one', 'two', 'three'])
  const before = {
    id: second.id,
    affix: 'prepend' as const,
    limit: 1,
    categories: ['message' as const],
  }
  const earlier = await done(
    'list the page before',
    chat.listGroupMessages({ path, query: before, ...as('bob') }),
  )
  deepEqual(textsOf(earlier), ['one'])
  const tagged = chat.listGroupMessages({ path, query: { tags: ['sum'], withTags: true } })
  deepEqual(textsOf(await done('list messages by tag', tagged)), ['one'])

  const at = { path: { id: first.id } }
  await done(
    'edit a message',
    chat.editMessage({ ...at, body: { data: { text: 'ONE' } }, ...as('ann') }),
  )
  equal((await done('get it', chat.getMessage(at))).data.data?.text, 'ONE')
  await done('react', chat.addReaction({ path: { ...at.path, reaction: '👍' }, ...as('bob') }))
  const reactions = await done('list reactions', chat.listReactions(at))
  deepEqual(
    reactions.data.map(({ reaction, uid }) => [reaction, uid]),
    [['👍', 'bob']],
  )
  const reply = { ...toTeam, ...says('why?') }
  const answer = await done('reply', chat.replyToMessage({ ...at, body: reply, ...as('dee') }))
  equal(answer.data.parentId, first.id)
  const unread = await done(
    'list unread conversations',
    chat.listConversations({ query: { unread: true }, ...as('dee') }),
  )
  deepEqual(unread.data.map(({ conversationId }) => conversationId).sort(), [
    'ann_user_dee',
    'group_team',
  ])
  const read = { messageId: second.id }
  await done('mark as read', chat.markGroupConversationRead({ path, body: read, ...as('dee') }))
  const query = { unread: true, count: true, receiverType: 'group' as const }
  const count = await done('count what is unread', chat.listMessages({ query, ...as('dee') }))
  deepEqual(count.data, [{ entityId: 'team', entityType: 'group', count: 1 }])
  await done('delete a message', chat.deleteMessage({ path: { id: second.id }, ...as('bob') }))
}

async function moderate() {
  const path = { guid: 'team', uid: 'cyd' }
  await done('ban a member', chat.banUser({ path }))
  deepEqual(uidsOf(await done('list banned users', chat.listBannedUsers({ path }))), ['cyd'])
  await done('unban a member', chat.unbanUser({ path }))
  const body = { role: 'teacher', name: 'Teacher' }
  await done('create a role', chat.createRole({ body }))
  const taken = await refused('create it again', 400, chat.createRole({ body }))
  deepEqual(Object.keys(taken.details ?? {}), ['role'])
}

async function webhooks() {
  const appId = env('APP_ID')
  const headers = { 'X-Webhook-Version': 2 }
  const body = {
    id: 'hook',
    name: 'Hook',
    webhookURL: 'https://example.com/in',
    triggers: ['message_sent'],
  }
  await done('create a webhook', operator.createWebhook({ path: { appId }, headers, body }))
  const at = { path: { appId, webhookId: 'hook' }, headers }
  const added = { triggerIds: ['group_created'] }
  await done('add a trigger', operator.addWebhookTriggers({ ...at, body: added }))
  const found = await done('list triggers', operator.listWebhookTriggers(at))
  deepEqual(
    found.data.map(({ id }) => id),
    ['message_sent', 'group_created'],
  )
  await done('delete a webhook', operator.deleteWebhook(at))
}

async function cleanUp() {
  const gone = { uidsToDeactivate: ['dee', 'nobody'] }
  const { data } = await done('deactivate users', chat.deactivateUsers({ body: gone }))
  deepEqual(data, { deactivatedUids: ['dee'], notFound: ['nobody'] })
  const found = await done(
    'list deactivated users',
    chat.listUsers({ query: { onlyDeactivated: true } }),
  )
  deepEqual(uidsOf(found), ['dee'])
  const path = { uid: 'dee' }
  await done('delete a user', chat.deleteUser({ path, body: { permanent: true } }))
  await refused('get the deleted user', 404, chat.getUser({ path }))
  await done('delete a group', chat.deleteGroup({ path: { guid: 'team' } }))
}

await signUp()
await listUsers()
await groups()
await messages()
await moderate()
await webhooks()
await cleanUp()
