import type { ErrorText } from './text.ts'

/** Conversations and messages. */
export const messageErrors = {
  ERR_CONVERSATION_NOT_FOUND: {
    status: 404,
    message: 'The conversation {conversationId} does not exist for this user.',
    fix: 'It comes into being with its first message, and is gone once the user has deleted it. GET /conversations lists the ids.',
  },
  ERR_CONVERSATION_NOT_ACCESSIBLE: {
    status: 403,
    message: 'The conversation cannot be seen by this user.',
    fix: 'Use one of their own: with a user with whom they have exchanged messages, or of a group that they are in.',
  },
  ERR_EMPTY_MESSAGE_TEXT: {
    status: 400,
    message: 'A text message needs a text.',
    fix: 'Send data.text, with one character at least.',
  },
  ERR_INVALID_MESSAGE_TEXT: {
    status: 400,
    message: 'The text of the message is not text.',
    fix: 'Send data.text as a string.',
  },
  ERR_INVALID_MESSAGE_TYPE: {
    status: 400,
    message: 'The category {category} has no type {type}.',
    fix: 'Use one of: {types}. Any type can be sent with the category custom.',
  },
  ERR_EMPTY_MESSAGE_FILE: {
    status: 400,
    message: 'A media message needs an attachment.',
    fix: 'Send data.attachments, a list with one item at least.',
  },
  ERR_INVALID_MEDIA_MESSAGE: {
    status: 400,
    message: 'The attachments are not valid.',
    fix: 'Send data.attachments as a list. Each item has a url that begins with http:// or https://, name, mimeType and extension as strings, and size as a whole number of bytes.',
  },
  ERR_EMPTY_CUSTOM_DATA: {
    status: 400,
    message: 'A custom message needs data.customData.',
    fix: 'Send data.customData, an object of your own.',
  },
  ERR_INVALID_CUSTOM_DATA: {
    status: 400,
    message: 'data.customData is not an object.',
    fix: 'Send an object; put a list or a text into a field of it.',
  },
  ERR_INVALID_MESSAGE_DATA: {
    status: 400,
    message: 'The data of the message is not valid.',
    fix: '{what}',
  },
  ERR_INVALID_METADATA: {
    status: 400,
    message: 'data.metadata is not an object.',
    fix: 'Send an object; put a list or a text into a field of it.',
  },
  ERR_MESSAGE_NOT_A_SENDER: {
    status: 403,
    message: 'Only the sender may do that; in a group also moderators and admins.',
    fix: 'Act as one of them, or call without onBehalfOf, as the server of the app.',
  },
  ERR_MESSAGE_NO_ACCESS: {
    status: 403,
    message: 'The message {id} cannot be seen by this user.',
    fix: 'Act as one of the two whose conversation it is in, or as a member of its group.',
  },
  ERR_MESSAGE_ACTION_NOT_ALLOWED: {
    status: 403,
    message: 'That cannot be done with this message.',
    fix: 'Action messages stay as they are; interactions are for interactive messages, and for their sender only where these allow it.',
  },
  ERR_EDIT_WINDOW_CLOSED: {
    status: 403,
    message: 'A message can be edited for {seconds} s after it was sent.',
    fix: "The app's setting messages.editWindowSeconds says how long. Its server may always edit.",
  },
  ERR_WRONG_MESSAGE_THREAD: {
    status: 400,
    message: 'The message {id} is in another conversation.',
    fix: 'Leave receiver, receiverType and multipleReceivers out: a reply goes where its parent went.',
  },
  ERR_WRONG_MESSAGE_THREAD_CATEGORY: {
    status: 400,
    message: 'An action message cannot be replied to.',
    fix: 'Reply to a message that a user has sent.',
  },
  ERR_MESSAGE_THREAD_NESTING: {
    status: 400,
    message: 'The message {id} is a reply itself.',
    fix: 'Reply to the message that it replies to.',
  },
  ERR_PINNED_MESSAGES_LIMIT_EXCEEDED: {
    status: 403,
    message: 'A conversation has at most {limit} pinned messages.',
    fix: 'Unpin another one first.',
  },
  ERR_SAVED_MESSAGES_LIMIT_EXCEEDED: {
    status: 403,
    message: 'A user has at most {limit} saved messages.',
    fix: 'Remove another saved message first.',
  },
  ERR_BLOCKED_BY_RULE: {
    status: 403,
    message: 'A moderation rule does not let this through.',
    fix: 'Show the user that it was not sent. GET /moderation/rules lists the rules of the app.',
  },
  ERR_BLOCKED_RECEIVER: {
    status: 403,
    message: 'The sender has blocked the user {uid}.',
    fix: 'The sender can lift the block: DELETE /users/<sender>/blockedusers.',
  },
  ERR_BLOCKED_SENDER: {
    status: 403,
    message: 'The user {uid} has blocked the sender.',
    fix: 'Only {uid} can lift the block. Do not try again.',
  },
  ERR_MESSAGE_ID_NOT_FOUND: {
    status: 404,
    message: 'The message {id} does not exist here.',
    fix: 'Check the id. The message may have been deleted, or may be in another conversation.',
  },
  ERR_IMPORT_MUID_ALREADY_EXISTS: {
    status: 409,
    message: 'Another message has the muid {muid}.',
    fix: 'The stored one has the same sender and conversation, but another sentAt. Give each message a muid of its own.',
  },
  ERR_IMPORT_INVALID_JOINEDAT: {
    status: 400,
    message: 'The time joinedAt is not between the creation of the group and now.',
    fix: 'Send a time from {createdAt} on, in Unix seconds. Leave it out for a member who joined with the creation of the group.',
  },
} as const satisfies Record<string, ErrorText>
