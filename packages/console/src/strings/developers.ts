/** Texts of the pages of developers. */
export const keys = {
  title: 'API keys',
  about: 'For servers. A key is shown when it is made, and never again here.',
  create: 'New key',
  name: 'Name',
  scope: 'Scope',
  scopes: {
    fullAccess: 'Full access: every call. Keep it on your server.',
    authOnly: 'Auth only: makes users and auth tokens.',
  },
  ends: 'Ends with',
  created: 'Created',
  revoke: 'Revoke',
  revokeText: 'Calls with this key are refused from now on. This cannot be taken back.',
  revoked: 'The key is revoked.',
  made: 'Your new key',
  madeText: 'Copy it now. It is not shown again.',
}

export const settings = {
  title: 'Settings',
  about: 'What this app does differently from others.',
  name: 'Setting',
  meaning: 'Means',
  value: 'Value',
  reset: 'Back to the default',
  saved: 'Saved',
  meanings: {
    'core.conversations.updateOnGroupActions':
      'Whether joins, leaves and the like move a conversation to the top.',
    'core.conversations.updateOnReplies':
      'Whether replies in threads move a conversation to the top.',
    'core.conversations.updateOnMessageActions':
      'Whether edits and deletions move a conversation to the top.',
    'core.conversations.updateOnCallActivity': 'Whether calls move a conversation to the top.',
    'core.conversations.updateOnCustomMessage':
      'Whether messages of your own kinds move a conversation to the top.',
    'core.threads.updateOnMessageActions': 'Whether edits and deletions move a thread to the top.',
    'core.notifications.push.accessible': 'Whether the app may use push at all.',
    'core.notifications.push.enabled': 'Whether push is switched on, in its older form.',
    'core.notifications.push.advanced.enabled':
      'Whether the older form of push has its further options.',
    'core.notifications.push.advanced.included': 'Which of these further options it has.',
    'api.lenientInput':
      'Whether input that is written a little differently is read as it is meant.',
    'apiKeys.authOnlyCreatesUsers': 'Whether keys with the scope “auth only” may create users.',
    'messages.editWindowSeconds':
      'For how many seconds users may edit what they sent; 0: for ever.',
    'messages.devicesDeleteForever': 'Whether devices delete messages for ever.',
    'messages.attachmentSizeAsNumber':
      'Whether the size of an attachment is a number, and not a text.',
    'users.devicesListDeactivated': 'Whether devices may list deactivated users.',
    'groups.newMembersSeeHistory': 'Whether new members may read what was said before they came.',
    'apiKeys.authOnlyChoosesRoles':
      'Whether keys with the scope “auth only” may choose the role of a new user.',
    'authTokens.lifetimeSeconds': 'For how many seconds new auth tokens are good; 0: for ever.',
    'groups.memberLimit': 'How many members a group may have.',
    'moderation.ruleLimit': 'How many rules the app may have, beside the defaults.',
    'moderation.listLimit': 'How many lists the app may have, beside the defaults.',
    'moderation.mediaRules':
      'Whether conditions about pictures are kept, though they match nothing.',
    'notifications.skipOnlineUsers': 'Whether users who are connected get no push.',
    'notifications.bulkMemberChanges':
      'Whether all members are told of each of many members who come or go at once.',
    'notifications.devicesSetContacts':
      'Whether devices may say where their user is reached by e-mail and SMS.',
    'notifications.operatorMail': 'Whether e-mail goes through the mail server of the operator.',
    'webhooks.changedMessageItself':
      'Whether webhooks about edits and deletions carry the message itself.',
    'rateLimits.core': 'Core calls in a minute.',
    'rateLimits.standard': 'Other calls in a minute.',
    'rateLimits.device': 'Calls of one user on their devices in a minute.',
  } as Readonly<Record<string, string>>,
}

export const roles = {
  title: 'Roles of users',
  about: 'What users of a role may do on their devices. Your own server may do everything.',
  create: 'New role',
  id: 'Id',
  name: 'Name',
  feature: 'Feature',
  allowed: (feature: string, role: string) => `${role} may use ${feature}`,
  matrix: 'Features by role',
}

export const webhooks = {
  title: 'Webhooks',
  about: 'Addresses of yours that are called when something happens.',
  create: 'New webhook',
  id: 'Id',
  name: 'Name',
  url: 'Address',
  urlHint: 'Begins with https://.',
  enabled: 'On',
  disabled: 'Off',
  failing: 'Failing',
  secret: 'Signing secret',
  secretText: 'Your server checks calls with it. Copy it now: it is not shown again.',
  rotate: 'New secret',
  rotateText: 'For a day, calls are signed with both.',
  test: 'Send a test call',
  tested: 'The test call is on its way.',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  removeText: 'It is not called any more, and its log is deleted.',
  removed: 'The webhook is deleted.',
  triggers: 'Triggers',
  triggersChosen: (chosen: readonly string[]) =>
    chosen.length === 0 ? 'No triggers: nothing is sent' : `Triggers: ${chosen.join(', ')}`,
  saveTriggers: 'Save triggers',
  saved: 'Saved',
  none: 'No webhook yet',
  noneText: 'Make one, and send it a test call.',
}

export const deliveries = {
  title: 'Log',
  trigger: 'Trigger',
  status: 'Status',
  statuses: { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' },
  all: 'All',
  attempts: 'Attempts',
  at: 'At',
  look: 'Look',
  payload: 'What was sent',
  answers: 'Answers',
  redeliver: 'Deliver again',
  redeliverFailed: 'Deliver all that failed again',
  redelivered: (count: number) => `${count} are delivered again.`,
  none: 'Nothing was sent yet',
  noneText: 'Send a test call, or wait until something happens.',
  took: (ms: number) => `${ms} ms`,
}

export const providers = {
  title: 'Push providers',
  about: 'Through whom pushes go. Why a user got none is told by the page about notifications.',
  fcm: 'Firebase (FCM)',
  apns: 'Apple (APNs)',
  id: 'Id',
  project: 'Project',
  bundle: 'Bundle',
  isDefault: 'Default',
  makeDefault: 'Make it the default',
  create: 'New FCM account',
  account: 'Service account',
  accountHint: 'The content of the JSON file that Firebase gives you.',
  badAccount: 'This is no service account: it needs project_id, client_email and private_key.',
  removeText: 'Devices that registered with it get no push any more.',
  saved: 'Saved',
  none: 'No account yet',
  noneText: 'Without one, no push is sent.',
}

export const people = {
  title: 'Collaborators',
  about: 'People who have a role in this app. People of the whole install are not in this list.',
  invite: 'Add a person',
  inviteText:
    'Whoever shows this address, verified by the OpenID provider, is that person. For a password, ask your operator.',
  add: 'Add',
  name: 'Name',
  email: 'E-mail address',
  role: 'Role',
  roleOf: (email: string) => `Role of ${email}`,
  roleHint: 'Each has what the one before may do, but for support and moderators.',
  roles: {
    viewer: 'Viewer: looks at users, settings and statistics',
    support: 'Support: reads messages and logs, changes users',
    moderator: 'Moderator: reviews and restricts',
    developer: 'Developer: settings, rules, keys',
    owner: 'Owner: everything',
  },
  since: 'Since',
  saved: 'Saved',
  removeText: (email: string) => `${email} has no role in this app any more, with the next call.`,
  none: 'Nobody has a role in this app alone',
  noneText: 'Add the people who work with it.',
}

export const events = {
  title: 'Events',
  about: 'What has happened in the app, as programs read it with GET /events.',
  type: 'Type',
  at: 'At',
  data: 'Data',
  newer: 'Newer events',
  none: 'No event is kept',
  noneText: 'Events are kept for a limited time. New ones appear here.',
}
