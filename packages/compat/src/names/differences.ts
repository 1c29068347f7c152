/** Names that work otherwise than at the hosted service, and how. */
export const differences: Readonly<Record<string, string>> = {
  'AppSettingsBuilder.setRegion': 'without effect: the address says where',
  'AppSettingsBuilder.overrideClientHost': 'needed: the address of Chorale',
  'AppSettingsBuilder.overrideAdminHost': 'the same address serves both',
  login: 'with an auth key not from a page in a browser: the service refuses keys there',
  logout: 'an auth token that the app was given stays valid',
  createUser: 'not from a page in a browser, as `login` with a key',
  updateUser: 'not from a page in a browser; needs a key with full access',
  joinGroup: 'the type is not needed',
  getLastDeliveredMessageId: 'of this connection; 0 after a new login',
  getUnreadMessageCount: 'messages of blocked users always count',
  getUnreadMessageCountForAllUsers: 'messages of blocked users always count',
  getUnreadMessageCountForAllGroups: 'messages of blocked users always count',
  getUnreadMessageCountForUser: 'messages of blocked users always count',
  getUnreadMessageCountForGroup: 'messages of blocked users always count',
  sendMessage: 'may be repeated after a failure: the message keeps its muid and is stored once',
  sendMediaMessage: 'takes links, not files',
  MediaMessage: 'takes links, not files',
  'CometChatHelper.getConversationFromMessage': 'the unread count is 0',
  'UsersRequestBuilder.friendsOnly': 'tags and uids are not applied to friends',
  'UsersRequestBuilder.hideBlockedUsers': 'pages may be shorter than the limit',
  'MessagesRequestBuilder.setAttachmentTypes': 'one type; several throw',
  'MessageListener.onMessageReactionRemoved':
    'who took it back is not known where this device had not seen the reaction',
  CallListener: 'accepted, never called',
  addCallListener: 'accepted, never called',
  removeCallListener: 'accepted, never called',
}

/** Members of classes that throw, as `CometChat` has whole names that do. */
export const missingMembers = [
  'UsersRequestBuilder.sortBy',
  'UsersRequestBuilder.sortByOrder',
  'ConversationsRequestBuilder.setHideAgentic',
  'ConversationsRequestBuilder.setOnlyAgentic',
  'MessagesRequestBuilder.setUpdatedAfter',
  'MessagesRequestBuilder.updatesOnly',
  'MessagesRequestBuilder.setInteractionGoalCompletedOnly',
  'MessagesRequestBuilder.hideQuotedMessages',
] as const
