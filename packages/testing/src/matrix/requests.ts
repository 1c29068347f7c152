import type { OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { secrets, type Victims } from './fixture.ts'

interface Request {
  readonly path: string
  readonly body: object | undefined
}

const prefixes: Readonly<Record<string, string>> = { management: '', session: '/console/api' }

/** The call, made of what belongs to the victims. */
export function requestFor(name: OperationName, operation: Operation, victims: Victims): Request {
  const { ids, form } = victims
  const own = name === 'markInteracted' ? { ...ids, id: form } : ids
  const path = operation.path.replaceAll(/:(\w+)/g, (_, param: string) =>
    encodeURIComponent(own[param] ?? 'nothing'),
  )
  const query = new URLSearchParams(queryFor(name, operation, victims)).toString()
  const prefix = prefixes[operation.requires] ?? '/v3'
  return {
    path: `${prefix}${path}${query && `?${query}`}`,
    body: operation.body && (bodiesFor(victims)[name] ?? {}),
  }
}

function queryFor(
  name: OperationName,
  { query }: Operation,
  { ids, authToken }: Victims,
): Record<string, string> {
  if (name === 'listMessages') return { conversationId: 'alice_user_bob' }
  if (name === 'listPushTokens') return { all: 'true', authToken }
  const required = (query?.required ?? []).filter((field) => !isDefaulted(query, field))
  return Object.fromEntries(required.map((field) => [field, ids[field] ?? '1']))
}

function isDefaulted(query: Operation['query'], field: string): boolean {
  return 'default' in Object(query?.properties[field])
}

/** Only for what a device may call: everybody else is refused before a body is read. */
function bodiesFor({ ids, messageInGroup, authToken }: Victims): Record<string, object> {
  const inDm = { messageId: ids.messageId }
  const inGroup = { messageId: messageInGroup }
  const text = { data: { text: 'changed' } }
  return {
    createUser: { uid: 'newcomer', name: 'Newcomer' },
    updateMe: { statusMessage: 'mine' },
    updateUserConversation: { tags: ['x'] },
    updateGroupConversation: { tags: ['x'] },
    markUserConversationDelivered: inDm,
    markUserConversationRead: inDm,
    markUserConversationUnread: inDm,
    markGroupConversationDelivered: inGroup,
    markGroupConversationRead: inGroup,
    markGroupConversationUnread: inGroup,
    createGroup: { guid: 'priv', name: 'Taken', type: 'public' },
    updateGroup: { name: 'Changed' },
    transferGroupOwnership: { owner: 'mallory' },
    changeMemberScope: { scope: 'admin' },
    flagMessage: { reasonId: 'spam', remark: 'x' },
    sendMessage: { receiver: 'priv', receiverType: 'group', ...text },
    createUpload: { name: 'x', size: 1, receiver: 'priv', receiverType: 'group' },
    editMessage: text,
    addReactionInBody: { reaction: 'y' },
    replyToMessage: text,
    markInteracted: { interactions: ['e1'] },
    registerPushToken: { platform: 'fcm_android', fcmToken: 'x', authToken },
    deletePushTokens: { authToken },
    deletePushToken: { authToken },
    updateContactDetails: { email: 'x@example.com' },
  }
}

/** What nobody but the victims may read, also when the call as such is allowed. */
export function leaks(text: string, { authToken }: Victims): string[] {
  return [...Object.values(secrets), authToken].filter((secret) => text.includes(secret))
}
