// Everything that is documented as a member of `CometChat`.

export {
  deleteConversation,
  getConversation,
  tagConversation,
} from './calls/conversations.ts'
export {
  addMembersToGroup,
  banGroupMember,
  createGroup,
  createGroupWithMembers,
  deleteGroup,
  getGroup,
  getJoinedGroups,
  getOnlineGroupMemberCount,
  joinGroup,
  kickGroupMember,
  leaveGroup,
  transferGroupOwnership,
  unbanGroupMember,
  updateGroup,
  updateGroupMemberScope,
} from './calls/groups.ts'
export { CometChatHelper } from './calls/message-info.ts'
export {
  addReaction,
  deleteMessage,
  editMessage,
  flagMessage,
  getMessageDetails,
  removeReaction,
  sendCustomMessage,
  sendMediaMessage,
  sendMessage,
} from './calls/messages.ts'
export {
  getMessageReceipts,
  markAsDelivered,
  markAsRead,
  markConversationAsDelivered,
  markConversationAsRead,
  markMessageAsUnread,
} from './calls/receipts.ts'
export { endTyping, sendTransientMessage, startTyping } from './calls/signals.ts'
export {
  getUnreadMessageCount,
  getUnreadMessageCountForAllGroups,
  getUnreadMessageCountForAllUsers,
  getUnreadMessageCountForGroup,
  getUnreadMessageCountForUser,
} from './calls/unread.ts'
export {
  blockUsers,
  createUser,
  getOnlineUserCount,
  getUser,
  unblockUsers,
  updateCurrentUserDetails,
  updateUser,
} from './calls/users.ts'
export * from './constants.ts'
export { Conversation } from './entities/conversation.ts'
export { Group } from './entities/group.ts'
export { GroupMember } from './entities/group-member.ts'
export { User } from './entities/user.ts'
export { CometChatException } from './exception.ts'
export {
  CallListener,
  ConnectionListener,
  GroupListener,
  LoginListener,
  MessageListener,
  UserListener,
} from './listeners/listeners.ts'
export {
  addCallListener,
  addConnectionListener,
  addGroupListener,
  addLoginListener,
  addMessageListener,
  addUserListener,
  removeCallListener,
  removeConnectionListener,
  removeGroupListener,
  removeLoginListener,
  removeMessageListener,
  removeUserListener,
} from './listeners/registry.ts'
export { Action } from './messages/action.ts'
export { Attachment } from './messages/attachment.ts'
export { BaseMessage } from './messages/base-message.ts'
export { CustomMessage } from './messages/custom-message.ts'
export { MediaMessage } from './messages/media-message.ts'
export { Reaction, ReactionCount, ReactionEvent } from './messages/reaction.ts'
export { MessageReceipt } from './messages/receipt.ts'
export { TextMessage } from './messages/text-message.ts'
export { TransientMessage } from './messages/transient-message.ts'
export { TypingIndicator } from './messages/typing-indicator.ts'
export * from './not-available.ts'
export {
  BlockedUsersRequest,
  BlockedUsersRequestBuilder,
} from './requests/blocked-users-request.ts'
export {
  ConversationsRequest,
  ConversationsRequestBuilder,
} from './requests/conversations-request.ts'
export { GroupsRequest, GroupsRequestBuilder } from './requests/groups-request.ts'
export {
  BannedMembersRequest,
  BannedMembersRequestBuilder,
  GroupMembersRequest,
  GroupMembersRequestBuilder,
} from './requests/members-request.ts'
export { MessagesRequest, MessagesRequestBuilder } from './requests/messages-request.ts'
export { ReactionsRequest, ReactionsRequestBuilder } from './requests/reactions-request.ts'
export { UsersRequest, UsersRequestBuilder } from './requests/users-request.ts'
export { getLastDeliveredMessageId } from './session/heard-messages.ts'
export {
  connectSession as connect,
  disconnectSession as disconnect,
  getConnectionStatus,
} from './session/live.ts'
export { getLoggedinUser, init, login, logout } from './session/login.ts'
export { AppSettings, AppSettingsBuilder } from './session/settings.ts'
