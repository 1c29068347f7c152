import type { OperationName } from './api.ts'
import type { ErrorCode } from './errors.ts'

// Which rule stops which call, for everything that a user can put before others: words, files,
// marks. `docs/rules.md` shows it, and `rule-coverage.test.ts` of the server sets up every scene.

export const ruleNames = {
  blockedByReceiver: 'the receiver has blocked the user',
  blockedByUser: 'the user has blocked the receiver',
  membership: 'the user is not in the group any more',
  ban: 'the user is banned from the group',
  scope: 'their scope in the group may not',
  role: 'their role has no permission',
  feature: 'their role has not the feature',
  friends: 'their role may write to friends only',
  moderation: 'a moderation rule blocks the words',
  gate: '`before_message` drops it, or fails and is `closed`',
  size: 'it is too long',
} as const
export type RuleName = keyof typeof ruleNames

/** `withheld`: stored, and seen by its sender alone. */
export type Stopped = ErrorCode | 'withheld'

export type Cell =
  /** What the call answers; a case of the test is made of it. */
  | { readonly answers: Stopped }
  /** It holds, as another test says: the file, and the name of the test. */
  | { readonly holds: string; readonly test: string }
  /** Why it does not hold. */
  | { readonly because: string }

type Row = Readonly<Record<RuleName, Cell>>

const answers = (code: Stopped): Cell => ({ answers: code })
const because = (reason: string): Cell => ({ because: reason })

const betweenTwo = {
  blockedByReceiver: answers('ERR_BLOCKED_SENDER'),
  blockedByUser: answers('ERR_BLOCKED_RECEIVER'),
}
const onMessage = {
  membership: answers('ERR_MESSAGE_NO_ACCESS'),
  ban: answers('ERR_MESSAGE_NO_ACCESS'),
}
const ofWords = {
  role: answers('ERR_PERMISSION_DENIED'),
  feature: answers('ERR_PERMISSION_DENIED'),
  friends: answers('ERR_PERMISSION_DENIED'),
}
const ofMessage = {
  ...ofWords,
  scope: answers('ERR_PERMISSION_DENIED'),
  moderation: answers('withheld'),
  gate: answers('ERR_BLOCKED_BY_WEBHOOK'),
  size: answers('ERR_BAD_REQUEST'),
}
const noMessage = because('Webhooks are asked about messages; they are told of this afterwards.')

const reaction: Row = {
  ...betweenTwo,
  ...onMessage,
  ...ofWords,
  scope: answers('ERR_PERMISSION_DENIED'),
  moderation: answers('ERR_BLOCKED_BY_RULE'),
  gate: noMessage,
  size: answers('ERR_BAD_REQUEST'),
}

const noWords = because('It has no words of the user: it shows what others wrote.')
const noOne = because('It goes to a group, not to one user.')
const members = because('Who may act in a group is a matter of membership and scope.')
const notAMessage = because('Rules and webhooks look at messages; names and pictures are none.')
const ofApp = because('The app itself acts: rules of users do not apply to it.')
const fields = because('The contract bounds every field.')

const ofGroup = {
  blockedByReceiver: noOne,
  blockedByUser: noOne,
  friends: noOne,
  moderation: notAMessage,
  gate: notAMessage,
  size: answers('ERR_BAD_REQUEST'),
} as const

const inTest = (test: string): Cell => ({ holds: 'gateway/signal-rules.test.ts', test })
const silence: Cell = {
  holds: 'gateway/live.test.ts',
  test: 'H5: typing and transient frames do not pass a block',
}

/** Typing is looked at where it carries metadata: without them it says nothing. */
const signal: Row = {
  blockedByReceiver: silence,
  blockedByUser: silence,
  membership: because('Only conversations that the connection follows can be named.'),
  ban: because('As for membership: who is banned does not follow the group any more.'),
  scope: inTest('scope'),
  role: inTest('role'),
  feature: inTest('feature'),
  friends: inTest('friends'),
  moderation: inTest('moderation'),
  gate: because('Webhooks are asked about messages; this is kept nowhere.'),
  size: because('It has at most 5 KB, as the contract of frames says.'),
}

/** By the name of an operation, or of a frame of a realtime connection. */
export const ruleCoverage: Readonly<Record<string, Row>> = {
  sendMessage: {
    ...betweenTwo,
    membership: answers('ERR_GROUP_NOT_JOINED'),
    ban: answers('ERR_BANNED_GROUPMEMBER'),
    ...ofMessage,
  },
  replyToMessage: { ...betweenTwo, ...onMessage, ...ofMessage },
  editMessage: { ...betweenTwo, ...onMessage, ...ofMessage },
  addReaction: reaction,
  addReactionInBody: reaction,
  pinMessage: {
    ...betweenTwo,
    ...onMessage,
    scope: answers('ERR_GROUP_NO_MODERATOR_SCOPE'),
    role: noWords,
    feature: because('No feature stands for it, and it has no words of the user.'),
    friends: noWords,
    moderation: noWords,
    gate: noMessage,
    size: noWords,
  },
  markInteracted: {
    ...betweenTwo,
    ...onMessage,
    scope: because('Whoever may read a form may answer it.'),
    role: noWords,
    feature: because('No feature stands for it, and it has no words of the user.'),
    friends: noWords,
    moderation: because('The element must be one of the message.'),
    gate: noMessage,
    size: fields,
  },
  createGroup: {
    ...ofGroup,
    membership: because('There is no group yet.'),
    ban: because('There is no group yet.'),
    scope: because('There is no group yet.'),
    role: answers('ERR_PERMISSION_DENIED'),
    feature: answers('ERR_PERMISSION_DENIED'),
  },
  updateGroup: {
    ...ofGroup,
    membership: answers('ERR_GROUP_NOT_JOINED'),
    ban: answers('ERR_GROUP_NOT_JOINED'),
    scope: answers('ERR_GROUP_NO_MODERATOR_SCOPE'),
    role: members,
    feature: answers('ERR_PERMISSION_DENIED'),
  },
  addMembers: {
    ...ofGroup,
    membership: answers('ERR_GROUP_NOT_JOINED'),
    ban: answers('ERR_GROUP_NOT_JOINED'),
    scope: answers('ERR_GROUP_NO_ADMIN_SCOPE'),
    role: members,
    feature: answers('ERR_PERMISSION_DENIED'),
    size: fields,
  },
  updateMe: {
    blockedByReceiver: because('A profile is seen by whoever may see its user.'),
    blockedByUser: because('A profile is seen by whoever may see its user.'),
    membership: because('It is in no group.'),
    ban: because('It is in no group.'),
    scope: because('It is in no group.'),
    role: because('Everybody has a profile of their own.'),
    feature: because('No feature stands for it.'),
    friends: because('It is written to nobody.'),
    moderation: notAMessage,
    gate: notAMessage,
    size: answers('ERR_BAD_REQUEST'),
  },
  sendBotMessage: {
    blockedByReceiver: ofApp,
    blockedByUser: ofApp,
    membership: ofApp,
    ban: ofApp,
    scope: ofApp,
    role: ofApp,
    feature: ofApp,
    friends: ofApp,
    moderation: ofApp,
    gate: answers('ERR_BLOCKED_BY_WEBHOOK'),
    size: answers('ERR_BAD_REQUEST'),
  },
  'frame typing': signal,
  'frame transient': signal,
}

const own = 'Only the user sees it.'
const unsaid = 'Nobody else sees a file before a message names it, which all rules look at.'
const takesBack = 'It takes away what was there.'
const moves = 'It moves people or marks; the words in it are those of the service.'
const forModerators = 'Moderators alone read the remark.'

/** Calls of users that change something and put no words of theirs before others, and why. */
export const withoutWords: Readonly<Partial<Record<OperationName, string>>> = {
  blockUsers: own,
  unblockUsers: own,
  deleteMyAuthToken: own,
  deleteConversation: takesBack,
  updateUserConversation: own,
  resetUserConversation: own,
  updateGroupConversation: own,
  resetGroupConversation: own,
  markUserConversationDelivered: moves,
  markUserConversationRead: moves,
  markUserConversationUnread: moves,
  markGroupConversationDelivered: moves,
  markGroupConversationRead: moves,
  markGroupConversationUnread: moves,
  deleteGroup: takesBack,
  transferGroupOwnership: moves,
  leaveGroup: moves,
  changeMemberScope: moves,
  kickMember: moves,
  banUser: moves,
  unbanUser: moves,
  flagMessage: forModerators,
  deleteMessage: takesBack,
  createUpload: unsaid,
  getUpload: own,
  completeUpload: unsaid,
  cancelUpload: takesBack,
  removeReaction: takesBack,
  subscribeToThread: own,
  unsubscribeFromThread: own,
  unpinMessage: takesBack,
  saveMessage: own,
  unsaveMessage: own,
  updateNotificationPreferences: own,
  deleteNotificationPreferences: own,
  muteConversations: own,
  unmuteConversations: own,
  setTimezone: own,
  registerPushToken: own,
  deletePushTokens: own,
  deletePushToken: own,
  getWebPushKey: own,
  updateContactDetails: own,
  deleteContactDetails: own,
}
