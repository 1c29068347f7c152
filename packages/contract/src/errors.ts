/**
 * Every error code of the interface, with its HTTP status and what the caller reads. `{name}` is
 * filled from the values a `Failure` carries. `fix` tells the developer what to do; without one
 * the message is repeated.
 */
interface ErrorText {
  readonly status: 400 | 401 | 403 | 404 | 409 | 410 | 429 | 500 | 503
  readonly message: string
  readonly fix?: string
}

export const errors = {
  // Credentials
  AUTH_ERR_EMPTY_APPID: {
    status: 401,
    message: 'The app id is missing.',
    fix: 'Call {appId}.api-{region}.<host>, or send the header appId.',
  },
  AUTH_ERR_INVALID_APPID: {
    status: 401,
    message: 'The app {appId} does not exist in this region.',
    fix: 'Check the app id and the region in the host name.',
  },
  AUTH_ERR_EMPTY_APIKEY: {
    status: 401,
    message: 'The API key is missing.',
    fix: 'Send the header apikey.',
  },
  AUTH_ERR_APIKEY_NOT_FOUND: {
    status: 401,
    message: 'The API key {apiKey} does not exist.',
    fix: 'Use a key of this app; `chorale key list` shows them.',
  },
  AUTH_ERR_EMPTY_AUTH_TOKEN: {
    status: 401,
    message: 'The auth token is missing.',
    fix: 'Send the header authToken.',
  },
  AUTH_ERR_AUTH_TOKEN_NOT_FOUND: {
    status: 401,
    message: 'The auth token does not exist, or its user is deactivated.',
    fix: 'Let the server of the app create a new one.',
  },
  AUTH_ERR_NO_ACCESS: {
    status: 403,
    message: 'These credentials do not allow this call.',
    fix: 'Use {needed}.',
  },
  AUTH_ERR_EMPTY_AUTH_HEADER: {
    status: 401,
    message: 'The management credentials are missing.',
    fix: 'Send the headers key and secret; `chorale management-key create` makes a pair.',
  },
  AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND: {
    status: 401,
    message: 'The management credentials are wrong.',
    fix: 'Check the headers key and secret.',
  },

  // API keys
  ERR_APIKEY_NOT_FOUND: { status: 404, message: 'The API key {apiKey} does not exist.' },
  ERR_APIKEY_NO_SELF_ACTION: {
    status: 403,
    message: 'An API key may not change or delete itself.',
    fix: 'Call with another full-access key.',
  },

  // Events
  ERR_EVENTS_GONE: {
    status: 410,
    message: 'Not all events after this cursor are kept any more.',
    fix: 'Begin again without `after`, and read from the lists what you may have missed.',
  },

  // Auth tokens
  ERR_AUTH_TOKEN_NOT_FOUND: { status: 404, message: 'The auth token does not exist.' },
  ERR_AUTHTOKEN_UNAVAILABLE: {
    status: 409,
    message: 'The auth token is already bound to another device.',
    fix: 'Create a token per device, with force: true.',
  },
  ERR_AUTHTOKEN_NOT_ACCESSIBLE: {
    status: 403,
    message: 'The auth token belongs to another user.',
  },

  // Plan: an install sets its own limits
  ERR_PLAN_QUOTA_RESTRICTION: {
    status: 403,
    message: 'The limit of {limit} {what} is reached.',
    fix: 'Delete some, or ask the operator whether the app may have more.',
  },

  // Roles and permissions
  ERR_ROLE_NOT_FOUND: { status: 404, message: 'The role {role} does not exist.' },
  ERR_ROLE_DELETE_DENIED: {
    status: 403,
    message: 'The role {role} cannot be deleted.',
    fix: 'The role default stays for ever; give the users of any other role a new one first.',
  },
  ERR_PERMISSION_DENIED: {
    status: 403,
    message: 'This user is not allowed to do that.',
    fix: 'Denied to the acting user: {what}.',
  },

  // Users
  ERR_UID_NOT_FOUND: {
    status: 404,
    message: 'The user {uid} does not exist.',
    fix: 'Create the user, or reactivate it if it was deactivated.',
  },
  ERR_UID_ALREADY_EXISTS: { status: 400, message: 'The user {uid} exists already.' },

  // Friends and blocking
  ERR_ALREADY_FRIEND: { status: 409, message: 'The user {uid} is a friend already.' },
  ERR_NOT_A_FRIEND: { status: 404, message: 'The user {uid} is not a friend.' },
  ERR_CANNOT_FORM_SELF_RELATION: {
    status: 400,
    message: 'A user cannot be their own friend.',
  },
  ERR_CANNOT_BLOCK_SELF: { status: 400, message: 'Users cannot block themselves.' },

  // Groups and members
  ERR_GUID_NOT_FOUND: { status: 404, message: 'The group {guid} does not exist.' },
  ERR_GUID_ALREADY_EXISTS: { status: 400, message: 'The group {guid} exists already.' },
  ERR_EMPTY_GROUP_PASS: { status: 400, message: 'A password group needs a password.' },
  ERR_WRONG_GROUP_PASS: { status: 403, message: 'The password of the group is wrong.' },
  ERR_NOT_A_MEMBER: { status: 404, message: 'The user {uid} is not a member of {guid}.' },
  ERR_ALREADY_JOINED: { status: 409, message: 'The user {uid} is a member of {guid} already.' },
  ERR_GROUP_NOT_JOINED: { status: 403, message: 'The user {uid} is not a member of {guid}.' },
  ERR_GROUP_JOIN_NOT_ALLOWED: {
    status: 403,
    message: 'The group {guid} is private: members are added, they do not join.',
  },
  ERR_NO_VACANCY: { status: 403, message: 'The group {guid} is full: {limit} members.' },
  ERR_SAME_SCOPE: { status: 409, message: 'The user {uid} has the scope {scope} already.' },
  ERR_NOT_A_BANNED_USER: { status: 404, message: 'The user {uid} is not banned from {guid}.' },
  ERR_BANNED_GROUPMEMBER: { status: 403, message: 'The user {uid} is banned from {guid}.' },
  ERR_ALREADY_BANNED: { status: 409, message: 'The user {uid} is banned from {guid} already.' },
  ERR_GROUP_NO_CLEARANCE: {
    status: 403,
    message: 'The scope of the acting user is too low for that.',
    fix: '{what}',
  },
  ERR_GROUP_NO_ADMIN_SCOPE: { status: 403, message: 'Only an admin of the group may do that.' },
  ERR_GROUP_NO_MODERATOR_SCOPE: {
    status: 403,
    message: 'Only a moderator or an admin of the group may do that.',
  },
  ERR_GROUP_NO_SCOPE_CLEARANCE: {
    status: 403,
    message: 'The acting user may not give or take that scope.',
  },
  ERR_GROUP_NO_SELF_ACTION: { status: 403, message: 'That cannot be done to oneself.' },

  // Messages and conversations
  ERR_CONVERSATION_NOT_FOUND: {
    status: 404,
    message: 'The conversation {conversationId} does not exist for this user.',
  },
  ERR_CONVERSATION_NOT_ACCESSIBLE: {
    status: 403,
    message: 'The conversation cannot be seen by this user.',
    fix: 'Not theirs, not a member of the group, or no message has been exchanged yet.',
  },
  ERR_EMPTY_MESSAGE_TEXT: { status: 400, message: 'A text message needs a text.' },
  ERR_INVALID_MESSAGE_TEXT: { status: 400, message: 'The text of a message is a string.' },
  ERR_INVALID_MESSAGE_TYPE: {
    status: 400,
    message: 'The category {category} has no type {type}.',
  },
  ERR_EMPTY_MESSAGE_FILE: { status: 400, message: 'A media message needs an attachment.' },
  ERR_INVALID_MEDIA_MESSAGE: {
    status: 400,
    message: 'The attachments are not valid.',
    fix: 'Each has a url, and name, mimeType and extension as strings, size as a whole number.',
  },
  ERR_EMPTY_CUSTOM_DATA: { status: 400, message: 'A custom message needs data.customData.' },
  ERR_INVALID_CUSTOM_DATA: { status: 400, message: 'data.customData is an object.' },
  ERR_INVALID_MESSAGE_DATA: {
    status: 400,
    message: 'The data of the message is not valid.',
    fix: 'An interactive message has data.interactiveData, an object.',
  },
  ERR_INVALID_METADATA: { status: 400, message: 'data.metadata is an object.' },
  ERR_MESSAGE_NOT_A_SENDER: {
    status: 403,
    message: 'Only the sender may do that; in a group also moderators and admins.',
  },
  ERR_MESSAGE_NO_ACCESS: { status: 403, message: 'The message {id} cannot be seen by this user.' },
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
    message: 'Nobody replies to an action message.',
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
    fix: 'Take another one off first.',
  },
  ERR_BLOCKED_BY_RULE: {
    status: 403,
    message: 'A moderation rule does not let this through.',
  },
  ERR_BLOCKED_RECEIVER: { status: 403, message: 'The sender has blocked the user {uid}.' },
  ERR_BLOCKED_SENDER: { status: 403, message: 'The user {uid} has blocked the sender.' },
  ERR_MESSAGE_ID_NOT_FOUND: { status: 404, message: 'The message {id} does not exist here.' },

  // Moderation
  ERR_RULE_NOT_FOUND: { status: 404, message: 'The rule {ruleId} does not exist.' },
  ERR_RULE_ALREADY_EXISTS: { status: 409, message: 'The rule {ruleId} exists already.' },
  ERR_REVISION_NOT_FOUND: { status: 404, message: 'The revision {revisionId} does not exist.' },
  ERR_DRY_RUN_NOT_FOUND: { status: 404, message: 'The dry run {dryRunId} does not exist.' },
  ERR_KEYWORD_LIST_NOT_FOUND: {
    status: 404,
    message: 'The keyword list {keywordId} does not exist.',
  },
  ERR_KEYWORD_LIST_ALREADY_EXISTS: {
    status: 409,
    message: 'The keyword list {keywordId} exists already.',
  },
  ERR_KEYWORD_LIST_IN_USE: {
    status: 409,
    message: 'The rule {ruleId} refers to the keyword list {keywordId}.',
    fix: 'Change the rule first.',
  },
  ERR_REASON_NOT_FOUND: { status: 404, message: 'The reason {id} does not exist.' },
  ERR_REASON_ALREADY_EXISTS: { status: 409, message: 'The reason {id} exists already.' },
  ERR_OPERATION_FAILED: {
    status: 403,
    message: 'That cannot be done to what every app has.',
    fix: '{what}',
  },

  // Webhooks
  ERR_WEBHOOK_NOT_FOUND: {
    status: 404,
    message: 'The webhook {id} does not exist.',
    fix: 'The header X-Webhook-Version says of which generation it is: 2, or none for the older one.',
  },
  ERR_WEBHOOK_ALREADY_EXISTS: { status: 409, message: 'The webhook {id} exists already.' },
  ERR_TRIGGER_NOT_FOUND: {
    status: 404,
    message: 'There is no trigger {trigger}.',
    fix: 'See docs/webhooks.md for the triggers of each generation.',
  },
  ERR_DELIVERY_NOT_FOUND: { status: 404, message: 'The delivery {id} does not exist.' },
  ERR_BLOCKED_BY_WEBHOOK: { status: 403, message: 'A webhook has dropped the message.' },

  // Management
  ERR_APP_NOT_FOUND: { status: 404, message: 'The app {appId} does not exist.' },

  // Extensions and notifications
  ERR_EXTENSION_NOT_FOUND: {
    status: 404,
    message: 'The extension {extension} does not exist.',
    fix: 'GET /apps/{appId}/extensions lists those that do.',
  },
  ERR_PUSH_SETTINGS_NOT_FOUND: {
    status: 404,
    message: 'The app {appId} has no push settings yet.',
    fix: 'PUT them; the first time with version and pushProvider.',
  },
  ERR_PUSH_TOKEN_NOT_FOUND: { status: 404, message: 'This user has no such push token.' },
  ERR_PROVIDER_NOT_FOUND: { status: 404, message: 'The provider {providerId} does not exist.' },
  ERR_PROVIDER_ALREADY_EXISTS: {
    status: 409,
    message: 'The provider {providerId} exists already.',
    fix: 'Change it with PUT, or choose another providerId.',
  },

  // General
  ERR_INVALID_API_VERSION: {
    status: 404,
    message: 'The API version {version} does not exist.',
    fix: 'Use /v3.',
  },
  ERR_API_NOT_FOUND: {
    status: 404,
    message: 'There is no {method} {path}.',
    fix: 'See /docs for every call.',
  },
  ERR_BAD_REQUEST: {
    status: 400,
    message: 'The request is not valid. {field}: {objection}',
    fix: 'Correct what `details` names: it has a list of objections for each field.',
  },
  ERR_TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests: {what}.',
    fix: 'Wait for {seconds} s (header Retry-After).',
  },
  ERR_EXCEPTION: {
    status: 500,
    message: 'Something went wrong on our side.',
    fix: 'Give the operator the request id {requestId}; the log holds the cause.',
  },
  ERR_MISSION_FAILED: {
    status: 503,
    message: 'The service cannot answer right now.',
    fix: 'Try again in a moment.',
  },
} as const satisfies Record<string, ErrorText>

export type ErrorCode = keyof typeof errors

/** How every error is answered. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly devMessage: string
    readonly source: string
    readonly details?: Readonly<Record<string, readonly string[]>>
  }
}
