/** What a role can be allowed or denied: every key, the kind of its value and its default. */
export interface Permission {
  readonly title: string
  readonly dataType: 'string' | 'stringArray' | 'rolesStringArray' | 'customStringArray'
  readonly availableValues?: readonly string[]
  readonly defaultValue: string | string[]
}

function binary(title: string): Permission {
  return { title, dataType: 'string', availableValues: ['allow', 'deny'], defaultValue: 'allow' }
}

function mode(title: string): Permission {
  return { title, dataType: 'string', availableValues: ['all', 'friends'], defaultValue: 'all' }
}

/** An empty list restricts nothing. */
function list(title: string, ...availableValues: readonly string[]): Permission {
  return { title, dataType: 'stringArray', availableValues, defaultValue: [] }
}

function roles(title: string): Permission {
  return { title, dataType: 'rolesStringArray', defaultValue: [] }
}

function custom(title: string): Permission {
  return { title, dataType: 'customStringArray', defaultValue: [] }
}

const groupTypes = ['public', 'password', 'private']
const scopes = ['admin', 'moderator', 'participant']
const messageTypes = ['text', 'image', 'audio', 'video', 'file']
const categories = ['message', 'custom', 'interactive']

export const permissionCatalogue: ReadonlyMap<string, Permission> = new Map([
  ['listUsers', binary('List users')],
  ['listUsers.mode', mode('Which users are listed')],
  ['listUsers.allowedRoles', roles('Roles that are listed')],
  ['getUserDetails.mode', mode('Whose details are shown')],
  ['getUserDetails.allowedRoles', roles('Roles whose details are shown')],
  ['sendMessage', binary('Send messages')],
  ['sendMessage.mode', mode('To whom messages may go')],
  ['sendMessage.allowedReceiverTypes', list('Kinds of receiver', 'user', 'group')],
  ['sendMessage.allowedReceiverRoles', roles('Roles that may receive')],
  ['sendMessage.allowedMessageTypes', list('Types of message', ...messageTypes)],
  ['sendMessage.allowedMessageCategories', list('Categories of message', ...categories)],
  ['sendMessage.allowedCustomTypes', custom('Types of custom message')],
  ['sendMessage.allowedMimeTypes', custom('MIME types of attachments')],
  ['editMessage', binary('Edit messages')],
  ['editMessage.denyForScopes', list('Group scopes that may not edit', ...scopes)],
  ['deleteMessage', binary('Delete messages')],
  ['deleteMessage.denyForScopes', list('Group scopes that may not delete', ...scopes)],
  ['initiateCall', binary('Start calls')],
  ['initiateCall.mode', mode('Whom to call')],
  ['initiateCall.allowedReceiverRoles', roles('Roles that may be called')],
  ['createGroup', binary('Create groups')],
  ['createGroup.allowedGroupTypes', list('Types of group to create', ...groupTypes)],
  ['listGroups', binary('List groups')],
  ['listGroups.allowedGroupTypes', list('Types of group that are listed', ...groupTypes)],
  ['joinGroup', binary('Join groups')],
  ['joinGroup.allowedGroupTypes', list('Types of group to join', ...groupTypes)],
  [
    'listMessages.allowedMessageCategories',
    list('Categories that are listed', ...categories, 'action'),
  ],
  ['listMessages.allowedMessageTypes', list('Types that are listed', ...messageTypes)],
])
