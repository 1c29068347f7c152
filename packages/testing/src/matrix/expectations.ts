import type { OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import type { CallerName } from './fixture.ts'

/**
 * `unknown`: 401. `no access`: 403, this kind of caller may never. `not theirs`: what is named
 * belongs to somebody else. `refused`: a rule of the operation says no. `allowed`: 200, and nothing
 * of the victims is read or changed.
 */
export type Outcome = 'unknown' | 'no access' | 'not theirs' | 'refused' | 'allowed'

/** Operations for devices that answer although the victims are named, and why that is right. */
const allowed: Readonly<Record<string, string>> = {
  listUsers: 'users of an app see each other',
  getUser: 'users of an app see each other, without the private part',
  getMe: 'their own',
  updateMe: 'their own',
  deleteMyAuthToken: 'their own',
  listConversations: 'lists their own',
  listGroups: 'lists those that they may see',
  listUserMessages: 'lists what they and alice wrote to each other: nothing',
  listThreads: 'lists their own',
  getWebPushKey: 'the public key of the app',
  getContactDetails: 'their own',
  updateContactDetails: 'their own',
  deleteContactDetails: 'their own',
}

/** Operations for devices that refuse whoever has no part in what is named. */
const refused: readonly string[] = [
  ...['getConversation', 'getUserConversation', 'updateUserConversation'],
  ...['resetUserConversation', 'getGroupConversation', 'updateGroupConversation'],
  ...['resetGroupConversation', 'markUserConversationDelivered', 'markUserConversationRead'],
  ...['markUserConversationUnread', 'markGroupConversationDelivered'],
  ...['markGroupConversationRead', 'markGroupConversationUnread', 'createGroup', 'getGroup'],
  ...['updateGroup', 'deleteGroup', 'transferGroupOwnership', 'addMembers', 'leaveGroup'],
  ...['listMembers', 'changeMemberScope', 'kickMember', 'banUser', 'unbanUser'],
  ...['listBannedUsers', 'flagMessage', 'sendMessage', 'getMessage', 'editMessage'],
  ...['deleteMessage', 'listGroupMessages', 'listReplies', 'listReactions'],
  ...['listReactionsOfKind', 'addReaction', 'addReactionInBody', 'removeReaction'],
  ...['replyToMessage', 'subscribeToThread', 'unsubscribeFromThread', 'markInteracted'],
  ...['pinMessage', 'unpinMessage', 'saveMessage', 'unsaveMessage', 'listReceipts'],
  ...['listMessages', 'registerPushToken', 'listPushTokens', 'deletePushTokens'],
  ...['deletePushToken', 'createUpload', 'getUpload', 'completeUpload', 'cancelUpload'],
]

/** Undefined: an operation that nobody has thought about yet. */
export function expected(
  name: OperationName,
  { requires, device }: Operation,
  caller: CallerName,
): Outcome | undefined {
  if (requires === 'management' || requires === 'session') return 'unknown'
  switch (caller) {
    case 'stranger':
    case 'key of another app':
    case 'token of another app':
    case 'deactivated user':
    case 'revoked token':
      return 'unknown'
    case 'authOnly key':
      return requires === 'authOnly' ? 'allowed' : 'no access'
    default:
      if (device === undefined) return 'no access'
      if (device === 'own') return 'not theirs'
      if (name in allowed) return 'allowed'
      return refused.includes(name) ? 'refused' : undefined
  }
}

/** Of an answer; a text where it is none of those that may be expected. */
export function outcomeOf(status: number, code: string | undefined): Outcome | string {
  if (status === 200) return 'allowed'
  if (status === 401) return 'unknown'
  if (code === 'AUTH_ERR_NO_ACCESS') return 'no access'
  if (code === 'ERR_PERMISSION_DENIED') return 'not theirs'
  const isRule = status >= 400 && status < 500 && code !== 'ERR_BAD_REQUEST' && status !== 429
  return isRule ? 'refused' : `${status} ${code}`
}
