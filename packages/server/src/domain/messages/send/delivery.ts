import type { AppDb } from '../../../database/app-db.ts'
import type { Actor } from '../../../pipeline/caller.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { type Entry, otherThan } from '../../log/entries/index.ts'
import type { Content, Outgoing, To } from './content.ts'
import { requireQuotable } from './quotes.ts'
import type { Recipient } from './recipient.ts'
import {
  findGroupTarget,
  findUserTarget,
  type GroupTarget,
  hasMembersBeside,
  type UserTarget,
} from './targets.sql.ts'

/** A step of a send: the rules, or the failure of the first that forbids it. Few ask the database more. */
export function authorise(message: Outgoing, recipient: Recipient): Promise<void> | undefined {
  const { sender, to, body, content, parent } = message
  const { actor } = sender
  const threaded = parent !== undefined
  const act = threaded ? 'reply' : 'message'
  const put = actor && ({ act, actor, to, content, threaded } as const)
  if (put) requireMaySay(put)
  if (to.type === 'group') requireGroup(put, to.id, recipient.group)
  else requireOther(put, sender.uid, to.id, recipient.user)
  const isMore = parent !== undefined || body.quotedMessageId !== undefined || (put && begins(put))
  return isMore ? authoriseMore(message, put, recipient) : undefined
}

async function authoriseMore(
  { ctx, body, parent }: Outgoing,
  put: Put | undefined,
  { group, conversation }: Recipient,
): Promise<void> {
  if (put && group) await requireMayRing(ctx.db, put, group)
  if (parent && parent.row.key !== conversation?.key) {
    throw new Failure('ERR_WRONG_MESSAGE_THREAD', { id: parent.row.id })
  }
  if (body.quotedMessageId !== undefined) {
    await requireQuotable(ctx, conversation, Number(body.quotedMessageId))
  }
}

function requireGroup(
  put: Put | undefined,
  guid: string,
  group: GroupTarget | undefined,
): asserts group {
  if (!group) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
  if (put) requireMayReachGroup(put, group)
}

function requireOther(
  put: Put | undefined,
  sender: string,
  uid: string,
  user: UserTarget | undefined,
): void {
  if (uid === sender) throw badRequest('receiver', 'The sender and the receiver are the same user.')
  if (!user) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  if (put) requireMayReachUser(put, user)
}

/** What a user does to a conversation that others in it get to see. */
export type Act = 'message' | 'reply' | 'edit' | 'reaction' | 'signal' | 'pin' | 'interaction'

/** Words, files or marks that a user puts before others. */
export interface Put {
  readonly act: Act
  readonly actor: Actor
  readonly to: To
  /** Of a message, a reply and an edit: what it says from now on. */
  readonly content?: Content | undefined
  /** It is, or becomes, part of a thread. */
  readonly threaded?: boolean
}

/** Acts with words of the user's own. A pin and an answer to a form show what others wrote. */
const words: readonly Act[] = ['message', 'reply', 'edit', 'reaction', 'signal']
const messages: readonly Act[] = ['message', 'reply', 'edit']
const anything: readonly Act[] = [...words, 'pin', 'interaction']

interface Rule<T> {
  readonly acts: readonly Act[]
  /** Allowed, or the failure. */
  readonly require: (put: Put, target: T) => void
}

// The rules in their order. The app itself (no actor) passes all of them. What follows them is in
// `moderation.ts`: webhooks, and the rules of the app.

const ofSaying: readonly Rule<undefined>[] = [
  { acts: words, require: requireFeature },
  { acts: words, require: requireRoleMaySend },
  { acts: messages, require: requireKind },
  { acts: messages, require: requireMimeTypes },
  { acts: messages, require: requireRoleMayCall },
]

const ofUser: readonly Rule<UserTarget>[] = [
  { acts: words, require: requireReceiverRole },
  { acts: anything, require: requireUnblocked },
  { acts: words, require: requireFriends },
]

const ofGroup: readonly Rule<GroupTarget>[] = [
  { acts: anything, require: requireNotBanned },
  { acts: anything, require: requireMember },
  { acts: words, require: requireScope },
]

/** What can be told before anybody is looked up. */
export function requireMaySay(put: Put): void {
  requireAll(ofSaying, put, undefined)
}

export function requireMayReachUser(put: Put, target: UserTarget): void {
  requireAll(ofUser, put, target)
}

export function requireMayReachGroup(put: Put, target: GroupTarget): void {
  requireAll(ofGroup, put, target)
}

/** All rules, for what is done to a message that is there already. */
export async function requireMayTouch(
  { db, actor }: Pick<ReadCtx, 'db' | 'actor'>,
  act: Act,
  { row, receiver }: Entry,
  content?: Content,
): Promise<void> {
  if (!actor) return
  const { uid } = actor
  const to: To =
    receiver.kind === 'group'
      ? { type: 'group', id: receiver.guid }
      : { type: 'user', id: otherThan(uid, receiver.uids) }
  const put = { act, actor, to, content, threaded: row.extra?.parent !== undefined }
  requireMaySay(put)
  if (to.type === 'group') {
    const target = await findGroupTarget(db, uid, to.id)
    if (!target) return
    requireMayReachGroup(put, target)
    return requireMayRing(db, put, target)
  }
  // Who is gone for ever, or deactivated, sees nothing of it.
  const target = await findUserTarget(db, uid, to.id)
  if (target) requireMayReachUser(put, target)
}

/** Whether a message with such a file would be let through, before there is one. */
export async function requireMaySendFile(
  { db, actor }: Pick<ReadCtx, 'db' | 'actor'>,
  to: To,
  mimeType: string,
): Promise<void> {
  if (!actor) return
  const { uid } = actor
  const [kind = ''] = mimeType.split('/')
  const type = ['image', 'video', 'audio'].includes(kind) ? kind : 'file'
  const data = { attachments: [{ mimeType }] }
  const content = { category: 'message', type, data, mentions: [] }
  const put = { act: 'message', actor, to, content } as const
  requireMaySay(put)
  if (to.type === 'group') {
    const group = await findGroupTarget(db, uid, to.id)
    requireGroup(put, to.id, group)
    await requireMayRing(db, put, group)
  } else {
    requireOther(put, uid, to.id, await findUserTarget(db, uid, to.id))
  }
}

function requireAll<T>(rules: readonly Rule<T>[], put: Put, target: T): void {
  for (const { acts, require } of rules) if (acts.includes(put.act)) require(put, target)
}

/** Who may not send messages does not send them as replies, edits or reactions. */
function requireFeature({ actor, content }: Put): void {
  const { restrictedFeatures } = actor
  if (restrictedFeatures.length === 0) return
  const action = content?.category === 'call' ? content.data.action : undefined
  const ofCall = action === 'initiated' ? 'createCall' : 'updateCall'
  for (const feature of ['createMessage', ...(action === undefined ? [] : [ofCall])]) {
    if (restrictedFeatures.includes(feature)) throw denied(`the feature ${feature}`)
  }
}

function requireRoleMaySend({ actor: { permissions }, to }: Put): void {
  if (permissions.sendMessage === 'deny') throw denied('sendMessage')
  requireListed(permissions, 'sendMessage.allowedReceiverTypes', to.type)
}

function requireKind({ actor: { permissions }, content }: Put): void {
  if (!content) return
  const { category, type } = content
  requireListed(permissions, 'sendMessage.allowedMessageCategories', category)
  if (category === 'message') requireListed(permissions, 'sendMessage.allowedMessageTypes', type)
  if (category === 'custom') requireListed(permissions, 'sendMessage.allowedCustomTypes', type)
}

/** A file that does not say what it is has none of the allowed types. */
function requireMimeTypes({ actor: { permissions }, content }: Put): void {
  const { attachments } = content?.data ?? {}
  if (attachments === undefined) return
  for (const mimeType of [attachments].flat().map(mimeTypeOf)) {
    requireListed(permissions, 'sendMessage.allowedMimeTypes', mimeType)
  }
}

function mimeTypeOf(attachment: unknown): string {
  const isFile = typeof attachment === 'object' && attachment !== null && 'mimeType' in attachment
  return isFile && typeof attachment.mimeType === 'string' ? attachment.mimeType : ''
}

/** Only the beginning of a call: whoever was called may always answer. */
function begins({ content }: Put): boolean {
  return content?.category === 'call' && content.data.action === 'initiated'
}

function requireRoleMayCall(put: Put): void {
  if (begins(put) && put.actor.permissions.initiateCall === 'deny') throw denied('initiateCall')
}

function requireReceiverRole(put: Put, { role }: UserTarget): void {
  const { permissions } = put.actor
  requireListed(permissions, 'sendMessage.allowedReceiverRoles', role)
  if (begins(put)) requireListed(permissions, 'initiateCall.allowedReceiverRoles', role)
}

function requireUnblocked({ to }: Put, target: UserTarget): void {
  if (target.blockedBySender) throw new Failure('ERR_BLOCKED_RECEIVER', { uid: to.id })
  if (target.blockedByReceiver) throw new Failure('ERR_BLOCKED_SENDER', { uid: to.id })
}

function requireFriends(put: Put, { friends }: UserTarget): void {
  const { permissions, roleSettings } = put.actor
  const friendsOnly =
    permissions['sendMessage.mode'] === 'friends' || roleSettings.sendMessagesTo === 'friendsOnly'
  if (friendsOnly && !friends) throw denied('sendMessage to users who are not friends')
  if (begins(put) && permissions['initiateCall.mode'] === 'friends' && !friends) {
    throw denied('initiateCall to users who are not friends')
  }
}

function requireNotBanned({ actor: { uid }, to: { id: guid } }: Put, { banned }: GroupTarget) {
  if (banned) throw new Failure('ERR_BANNED_GROUPMEMBER', { uid, guid })
}

function requireMember({ actor: { uid }, to: { id: guid } }: Put, target: GroupTarget): void {
  if (target.scope !== null) return
  // A private group does not exist for those who are not in it.
  throw target.type === 'private'
    ? new Failure('ERR_GUID_NOT_FOUND', { guid })
    : new Failure('ERR_GROUP_NOT_JOINED', { uid, guid })
}

/** A call to a group rings everywhere in it, so all members must be such as may be called. */
async function requireMayRing(db: AppDb, put: Put, { permissions }: GroupTarget) {
  if (!begins(put)) return
  const friends = permissions.initiateCall === 'friends'
  const scopes = [permissions['initiateCall.allowedScopes'] ?? []].flat()
  if (!friends && scopes.length === 0) return
  const callable = { friends, scopes: scopes.length > 0 ? scopes : undefined }
  if (await hasMembersBeside(db, put.to.id, put.actor.uid, callable)) {
    throw denied('initiateCall to all members of this group')
  }
}

/** What the scope of a member is denied in this group. */
function requireScope(put: Put, { permissions }: GroupTarget): void {
  for (const what of scopePermissionsFor(put)) {
    if (permissions[what] === 'deny') throw denied(`${what} in this group`)
  }
  if (!begins(put)) return
  const types = [permissions['initiateCall.allowedType'] ?? []].flat()
  if (types.length > 0 && !types.includes(put.content?.type ?? '')) {
    throw denied('initiateCall.allowedType in this group')
  }
}

/** Whoever may not write in a group may still react there, unless that is denied, too. */
function scopePermissionsFor(put: Put): string[] {
  if (put.act === 'reaction') return ['addReaction']
  return [
    'sendMessage',
    ...(put.threaded ? ['sendThreadedMessage'] : []),
    ...(begins(put) ? ['initiateCall'] : []),
  ]
}

/** An empty list restricts nothing. */
function requireListed(permissions: Actor['permissions'], what: string, value: string): void {
  const given = permissions[what]
  if (given === undefined) return
  const allowed = [given].flat()
  if (allowed.length > 0 && !allowed.includes(value)) throw denied(what)
}

function denied(what: string): Failure {
  return new Failure('ERR_PERMISSION_DENIED', { what })
}
