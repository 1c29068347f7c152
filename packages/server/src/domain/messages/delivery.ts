import type { Actor } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Content } from './content.ts'
import type { GroupTarget, UserTarget } from './targets.sql.ts'

// The rules of a send, in order: role permissions, block, friends only, membership, ban, scope
// permission. Pure: allowed, or the failure. The app itself (no actor) passes all of them.

/** What the sender's role allows to be said, whoever it is said to. */
export function requireMaySend(
  { permissions }: Actor,
  { category, type, data }: Content,
  receiverType: 'user' | 'group',
): void {
  if (permissions.sendMessage === 'deny') throw denied('sendMessage')
  requireListed(permissions, 'allowedReceiverTypes', receiverType)
  requireListed(permissions, 'allowedMessageCategories', category)
  if (category === 'message') requireListed(permissions, 'allowedMessageTypes', type)
  if (category === 'custom') requireListed(permissions, 'allowedCustomTypes', type)
  for (const mimeType of mimeTypesIn(data)) requireListed(permissions, 'allowedMimeTypes', mimeType)
}

export function requireMayReachUser(actor: Actor, receiver: string, target: UserTarget): void {
  const { permissions, roleSettings } = actor
  requireListed(permissions, 'allowedReceiverRoles', target.role)
  requireUnblocked(receiver, target)
  const friendsOnly =
    permissions['sendMessage.mode'] === 'friends' || roleSettings.sendMessagesTo === 'friendsOnly'
  if (friendsOnly && !target.friends) throw denied('sendMessage to users who are not friends')
}

export function requireUnblocked(receiver: string, target: UserTarget): void {
  if (target.blockedBySender) throw new Failure('ERR_BLOCKED_RECEIVER', { uid: receiver })
  if (target.blockedByReceiver) throw new Failure('ERR_BLOCKED_SENDER', { uid: receiver })
}

export function requireMayReachGroup(
  { uid }: Actor,
  guid: string,
  target: GroupTarget,
  reply: boolean,
): void {
  if (target.banned) throw new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
  if (target.scope === null) throw new Failure('ERR_GROUP_NOT_JOINED', { uid, guid })
  if (target.permissions.sendMessage === 'deny') throw denied('sendMessage in this group')
  if (reply && target.permissions.sendThreadedMessage === 'deny') {
    throw denied('sendThreadedMessage in this group')
  }
}

/** An empty list restricts nothing. */
function requireListed(permissions: Actor['permissions'], what: string, value: string): void {
  const name = `sendMessage.${what}`
  const allowed = [permissions[name] ?? []].flat()
  if (allowed.length > 0 && !allowed.includes(value)) throw denied(name)
}

function denied(what: string): Failure {
  return new Failure('ERR_PERMISSION_DENIED', { what })
}

function mimeTypesIn(data: Content['data']): string[] {
  const { attachments } = data
  if (!Array.isArray(attachments)) return []
  return attachments.flatMap(({ mimeType }: { mimeType?: string }) => mimeType ?? [])
}
