import type { Group } from '@chorale/contract/groups'

/** Someone's position in a conversation: everything up to `seq`. */
interface PositionMoved {
  bucket: number
  key: number
  uid: string
  seq: number
}

/** Names an entry: its conversation, its position there, and its public id. */
export interface EntryRef {
  readonly bucket: number
  readonly key: number
  readonly seq: number
  readonly id: number
}

/** Someone did something with a message. */
interface MessageTouched extends EntryRef {
  uid: string
}

/** `id` of the event is that of the message. */
interface Reacted {
  reaction: string
  reactionId: number
  reactedAt: number
}

type AppendedPayload = EntryRef & {
  sender: string
  category: string
  type: string
  muid?: string
  parentSeq?: number
  data?: Readonly<Record<string, unknown>>
  extra?: Readonly<Record<string, unknown>>
  caught?: 'withheld' | 'shown'
}

/**
 * Every event as it is stored and as listeners get it: a fact that was committed. Names are noun and
 * past tense. Servers outside get another shape, `Event` of the contract: `domain/events` makes it.
 */
export interface Events {
  'user.created': { uid: string }
  'user.updated': { uid: string }
  'user.deactivated': { uid: string }
  'user.reactivated': { uid: string }
  'user.deleted': { uid: string }
  /** Came online, or went. */
  'user.connectionStatusChanged': {
    uid: string
    status: 'available' | 'offline'
    lastActiveAt: number
  }
  'friends.added': { uid: string; friends: readonly string[] }
  'friends.removed': { uid: string; friends: readonly string[] }
  'user.blocked': { uid: string; blockedUids: readonly string[] }
  'user.unblocked': { uid: string; blockedUids: readonly string[] }
  'role.created': { role: string }
  'role.updated': { role: string }
  'role.deleted': { role: string }
  'role.featuresRestricted': { role: string; features: readonly string[] }
  'role.featuresAllowed': { role: string; features: readonly string[] }
  'role.permissionsSet': { role: string; permissions: Readonly<Record<string, unknown>> }
  'group.created': { guid: string }
  'group.updated': { guid: string }
  'group.deleted': { guid: string; bucket: number; key: number; group: Group }
  'group.ownerChanged': { guid: string; owner: string; oldOwner: string }
  'group.scopePermissionsSet': {
    guid: string
    scope: string
    permissions: Readonly<Record<string, unknown>>
  }
  /**
   * A message was sent, or something happened to a group. Data that are too large are left out.
   * `caught`: by a rule of moderation, or one that asks; and whether others than its sender are
   * shown it.
   */
  'entry.appended': AppendedPayload
  /** A message that was said elsewhere has its place here: nobody is notified of it. */
  'entry.imported': AppendedPayload
  /** Withheld from all but its sender: by a rule, or by a moderator. */
  'message.blocked': EntryRef & { by: 'rule' | 'moderator' }
  /** For moderators to look at; `by` a rule, or a user, who has an `uid`. */
  'message.flagged': EntryRef & { by: 'rule' | 'user'; uid?: string }
  /** By a moderator, or by classifiers. One that was withheld is delivered now, under an id of its own. */
  'message.approved': EntryRef & { by: 'rule' | 'moderator'; blockedId?: number }
  /** Classifiers gave no answer to the end; what was decided without them is done. */
  'message.moderationFailed': EntryRef & { failures: readonly { list: string; error: string }[] }
  /** A file that it names was looked at: from now on others see the file, or nobody does. */
  'message.fileChecked': EntryRef & { uploadId: string; state: 'ready' | 'refused' }
  /** A message that lives elsewhere was moderated as it was then: the `revision` grows when it is edited. */
  'submission.moderated': {
    id: number
    revision: number
    status: 'approved' | 'disapproved'
    by: 'rules' | 'moderator'
  }
  'message.edited': MessageTouched
  'message.deleted': MessageTouched
  /** Who takes part without an entry that says so: two users, or the founder of a group. */
  'conversation.started': { bucket: number; key: number; uids: readonly string[] }
  'conversation.delivered': PositionMoved
  'conversation.read': PositionMoved
  'conversation.unread': PositionMoved
  'conversation.reset': { bucket: number; key: number; uid: string }
  'conversation.deleted': { bucket: number; key: number; uid: string }
  'message.reactionAdded': MessageTouched & Reacted
  'message.reactionRemoved': MessageTouched & Reacted
  'message.interacted': MessageTouched & { elementIds: readonly string[] }
  'message.interactionGoalCompleted': MessageTouched
  'message.pinned': MessageTouched
  'message.unpinned': MessageTouched
  'message.saved': MessageTouched
  'message.unsaved': MessageTouched
  'thread.subscribed': MessageTouched
  'thread.unsubscribed': MessageTouched
  'rule.saved': { ruleId: string; revisionId: string }
  'rule.deleted': { ruleId: string }
  'keywordList.saved': { keywordId: string; revisionId: string }
  'keywordList.deleted': { keywordId: string }
  'reason.saved': { reasonId: string }
  'reason.deleted': { reasonId: string }
  'authTokens.revoked': { uid: string }
  'issuer.updated': { issuerId: string }
  'issuer.deleted': { issuerId: string }
  'app.archived': { deleteAt: number }
  'app.settingsChanged': { keys: readonly string[] }
  /** By the service itself, after days of nothing but failures. */
  'webhook.disabled': { webhookId: string; failingSince: number }
}

export type EventName = keyof Events
