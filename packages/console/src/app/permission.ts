/** What roles can be allowed, as docs/permissions.md says; a test compares the two. */
export const permissions = [
  'stats.read',
  'users.read',
  'users.restrict',
  'users.write',
  'users.delete',
  'messages.read',
  'messages.send',
  'messages.moderate',
  'moderation.read',
  'moderation.queue',
  'moderation.decide',
  'moderation.configure',
  'logs.read',
  'settings.read',
  'settings.write',
  'secrets.read',
  'keys.write',
  'operations.read',
  'operations.write',
  'audit.read',
  'collaborators.read',
  'collaborators.write',
  'apps.write',
] as const

export type Permission = (typeof permissions)[number]
