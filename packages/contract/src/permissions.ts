import { type Api, allOperations, api, type OperationName } from './api.ts'
import { type CollaboratorRole, collaboratorRoles } from './apps/collaborators.ts'

/** What a role can be allowed, and what that means. */
export const permissions = {
  'stats.read': 'See statistics and usage',
  'users.read': 'See users, groups and who is in them',
  'users.restrict': 'Deactivate, kick and ban users, and let them back in; sign them out',
  'users.write': 'Create and change users, groups and what they have set',
  'users.delete': 'Delete users and groups',
  'messages.read': 'Read conversations and messages',
  'messages.send': 'Send messages as the app',
  'messages.moderate': 'Delete and pin messages, delete conversations',
  'moderation.read': 'See rules, lists and reasons',
  'moderation.queue': 'See what was blocked or reported',
  'moderation.decide': 'Decide about it',
  'moderation.configure': 'Change rules, lists and reasons, and try them out',
  'logs.read': 'See what webhooks and notifications were sent, and why not',
  'settings.read': 'See settings, roles of users, webhooks and providers',
  'settings.write': 'Change them',
  'secrets.read': 'See API keys, auth tokens and private keys',
  'keys.write': 'Make, change and delete API keys, auth tokens and signing secrets',
  'operations.read': 'See the state of the install, its queues and the usage of all apps',
  'operations.write': 'Hand dead letters to their listeners again',
  'audit.read': 'Read and export the audit log',
  'collaborators.read': 'See who the collaborators are',
  'collaborators.write': 'Add and remove collaborators, and change their roles',
  'apps.write': 'Create apps (people of the install) and schedule them for deletion',
} as const

export type Permission = keyof typeof permissions
export const permissionNames = Object.keys(permissions) as readonly Permission[]

const viewer = [
  ...(['stats.read', 'users.read', 'moderation.read'] as const),
  ...(['settings.read', 'collaborators.read', 'operations.read'] as const),
] satisfies Permission[]
const support = [
  ...viewer,
  ...(['users.restrict', 'users.write', 'messages.read', 'messages.send'] as const),
  ...(['moderation.queue', 'logs.read'] as const),
] satisfies Permission[]
const moderator = [
  ...viewer,
  ...(['users.restrict', 'messages.read', 'messages.moderate'] as const),
  ...(['moderation.queue', 'moderation.decide'] as const),
] satisfies Permission[]
const ofOwners: readonly Permission[] = ['collaborators.write', 'apps.write']
const developer = permissionNames.filter((name) => !ofOwners.includes(name))

export const rolePermissions: Readonly<Record<CollaboratorRole, readonly Permission[]>> = {
  viewer,
  support,
  moderator,
  developer,
  owner: permissionNames,
}

/** `self`: whoever is signed in. `nobody`: it is for servers and devices, which act as a user. */
export type Access = Permission | 'self' | 'nobody'

interface OfNoun {
  readonly read: Access
  /** Of the effects `write` and `append`. */
  readonly write: Access
}

const ofUsers = { read: 'users.read', write: 'users.write' } as const
const ofMessages = { read: 'messages.read', write: 'messages.moderate' } as const
const ofSettings = { read: 'settings.read', write: 'settings.write' } as const
const ofRules = { read: 'moderation.read', write: 'moderation.configure' } as const
const ofQueues = { read: 'moderation.queue', write: 'moderation.decide' } as const
const ofOperations = { read: 'operations.read', write: 'operations.write' } as const
const ofNobody = { read: 'nobody', write: 'nobody' } as const
const ofSelf = { read: 'self', write: 'self' } as const

const byNoun: Readonly<Record<keyof typeof api, OfNoun>> = {
  apps: { read: 'secrets.read', write: 'apps.write' },
  auditLog: { read: 'audit.read', write: 'nobody' },
  tenants: { read: 'nobody', write: 'apps.write' },
  installStatus: ofOperations,
  deadLetters: ofOperations,
  usage: ofOperations,
  sessions: ofSelf,
  app: { read: 'settings.read', write: 'apps.write' },
  collaborators: { read: 'collaborators.read', write: 'collaborators.write' },
  appSettings: ofSettings,
  apiKeys: { read: 'secrets.read', write: 'keys.write' },
  eventFeed: { read: 'messages.read', write: 'nobody' },
  roles: ofSettings,
  restrictedFeatures: ofSettings,
  rolePermissions: ofSettings,
  users: ofUsers,
  authTokens: { read: 'secrets.read', write: 'keys.write' },
  // Whoever names an issuer can sign in as anybody.
  issuers: { read: 'settings.read', write: 'keys.write' },
  friends: ofUsers,
  blockedUsers: ofUsers,
  me: ofNobody,
  conversations: ofMessages,
  positions: ofNobody,
  groups: ofUsers,
  members: ofUsers,
  bannedUsers: { read: 'users.read', write: 'users.restrict' },
  scopePermissions: ofUsers,
  rules: ofRules,
  keywordLists: ofRules,
  reasons: ofRules,
  dryRuns: { read: 'moderation.configure', write: 'moderation.configure' },
  blockedMessages: ofQueues,
  blockedMessagesOfApp: ofQueues,
  claims: ofQueues,
  flaggedMessages: ofQueues,
  submissions: { read: 'moderation.queue', write: 'nobody' },
  rulesOfApp: ofRules,
  keywordListsOfApp: ofRules,
  fileStores: ofSettings,
  // As with messages: what the app says, it may bring.
  uploads: { read: 'messages.read', write: 'messages.send' },
  messages: { read: 'messages.read', write: 'nobody' },
  history: ofMessages,
  edits: ofMessages,
  reactions: ofMessages,
  threads: ofMessages,
  interactions: ofNobody,
  pins: ofMessages,
  saves: ofNobody,
  receipts: ofMessages,
  // Of all that an app has: its own server does it.
  imports: ofNobody,
  holds: { read: 'audit.read', write: 'users.delete' },
  erasures: { read: 'audit.read', write: 'users.delete' },
  retention: { read: 'audit.read', write: 'users.delete' },
  stats: { read: 'stats.read', write: 'nobody' },
  notificationSettings: ofSettings,
  notificationPreferences: ofUsers,
  mutes: ofUsers,
  timezones: ofUsers,
  extensions: ofSettings,
  pushSettings: { read: 'secrets.read', write: 'settings.write' },
  pushCertificates: ofSettings,
  webhooks: ofSettings,
  webhookTriggers: ofSettings,
  deliveries: { read: 'logs.read', write: 'settings.write' },
  pushProviders: ofSettings,
  pushTests: ofSettings,
  customProviders: ofSettings,
  carriers: ofSettings,
  pushTokens: { read: 'secrets.read', write: 'users.write' },
  webPush: ofSettings,
  contactDetails: ofUsers,
  explain: { read: 'logs.read', write: 'nobody' },
  notificationLogs: { read: 'logs.read', write: 'settings.write' },
  supportedUsers: { read: 'logs.read', write: 'nobody' },
  timelines: { read: 'logs.read', write: 'nobody' },
}

/** Where an operation differs from its noun. */
const byName: Readonly<Partial<Record<keyof Api, Access>>> = {
  deleteUser: 'users.delete',
  deactivateUsers: 'users.restrict',
  reactivateUsers: 'users.restrict',
  deleteAuthTokens: 'users.restrict',
  kickMember: 'users.restrict',
  deleteGroup: 'users.delete',
  deleteMessage: 'messages.moderate',
  rotateWebhookSecret: 'keys.write',
  registerPushToken: 'nobody',
  // It reaches devices of users.
  testPushProvider: 'settings.write',
  // Without `onBehalfOf`, which people cannot use, the sender is the app.
  sendMessage: 'messages.send',
  findUsers: 'users.read',
  listConversationsOfUser: 'messages.read',
}

const nouns = new Map(
  Object.entries(api).flatMap(([noun, table]) =>
    // The keys of `api` are its nouns, those of a noun its operations.
    Object.keys(table).map((name) => [name as OperationName, noun as keyof typeof api] as const),
  ),
)

/** What a collaborator needs for an operation. */
export function accessTo(name: OperationName): Access {
  const operation = allOperations.get(name)
  const noun = nouns.get(name)
  if (!operation || !noun) throw new Error(`There is no operation ${name}.`)
  // A person signs as themselves, and never as a user.
  const asUser = operation.requires === 'authToken' || operation.onBehalfOf === 'required'
  if (asUser) return 'nobody'
  return byName[name] ?? byNoun[noun][operation.effect === 'read' ? 'read' : 'write']
}

/** The least roles first. */
export function rolesWith(access: Access): readonly CollaboratorRole[] {
  if (access === 'nobody') return []
  if (access === 'self') return collaboratorRoles
  return collaboratorRoles.filter((role) => rolePermissions[role].includes(access))
}
