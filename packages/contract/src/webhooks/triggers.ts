import { Type } from 'typebox'
import { Data, ItemOutcome, Outcome, Page } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ofGeneration, webhookParams } from './webhooks.ts'

/** Triggers of the older generation. */
export const legacyTriggers = {
  before_message: 'Before a message is stored; the answer may stop it.',
  after_message: 'After a message was stored.',
  message_delivery_receipt: 'A message was delivered to someone.',
  message_read_receipt: 'A message was read by someone.',
  user_connection_status_change: 'A user came online, or went.',
} as const

/** Triggers of the current generation. Those of calls come with calls. */
export const currentTriggers = {
  message_sent: 'A message was sent.',
  message_edited: 'A message was edited.',
  message_deleted: 'A message was deleted.',
  message_delivery_receipt: 'A message was delivered to someone.',
  message_read_receipt: 'A message was read by someone.',
  message_delivered_to_all: 'A message was delivered to the last of its receivers.',
  message_read_by_all: 'A message was read by the last of its receivers.',
  message_reaction_added: 'Someone reacted to a message.',
  message_reaction_removed: 'Someone took a reaction back.',
  user_mentioned: 'A message mentions someone.',
  user_blocked: 'A user has blocked others.',
  user_unblocked: 'A user has unblocked others.',
  user_connection_status_changed: 'A user came online, or went.',
  group_created: 'A group was created.',
  group_updated: 'A group was updated.',
  group_deleted: 'A group was deleted.',
  group_member_added: 'Someone was added to a group.',
  group_member_removed: 'Published without a payload; never sent.',
  group_member_kicked: 'Someone was kicked out of a group.',
  group_member_banned: 'Someone was banned from a group.',
  group_member_unbanned: 'Someone may join a group again.',
  group_member_joined: 'Someone has joined a group.',
  group_member_left: 'Someone has left a group.',
  group_member_scope_changed: 'A member of a group has another scope.',
  group_owner_transferred: 'A group has another owner.',
  call_initiated: 'A call was initiated.',
  call_started: 'A call has started.',
  call_ended: 'A call has ended.',
  call_participant_joined: 'Someone has joined a call.',
  call_participant_left: 'Someone has left a call.',
  call_busy: 'The one who was called is busy.',
  call_cancelled: 'A call was cancelled.',
  call_rejected: 'A call was rejected.',
  call_unanswered: 'A call was not answered.',
  meeting_started: 'A meeting has started.',
  meeting_ended: 'A meeting has ended.',
  meeting_participant_joined: 'Someone has joined a meeting.',
  meeting_participant_left: 'Someone has left a meeting.',
  recording_generated: 'A recording is there.',
  moderation_engine_approved: 'A rule has approved a message.',
  moderation_engine_blocked: 'A rule has blocked a message.',
  moderation_manual_approved: 'A moderator has approved a blocked message.',
  moderation_engine_failed: 'A classifier gave no answer about a message.',
  message_flagged: 'A user or a rule has flagged a message.',
} as const

export type LegacyTrigger = keyof typeof legacyTriggers
export type CurrentTrigger = keyof typeof currentTriggers

const body = Type.Object({
  triggerIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 }),
  ),
})

export const webhookTriggers = operations({
  addWebhookTriggers: {
    method: 'POST',
    path: '/apps/:appId/webhooks/:webhookId/triggers',
    summary: 'Add triggers to a webhook',
    description:
      'Adds triggers, the kinds of events that a webhook is called for. The answer says for ' +
      'each whether it is known.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    headers: ofGeneration,
    body,
    response: Data(Type.Record(Type.String(), ItemOutcome)),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  listWebhookTriggers: {
    method: 'GET',
    path: '/apps/:appId/webhooks/:webhookId/triggers',
    summary: 'List the triggers of a webhook',
    description: 'Lists the triggers of a webhook. All of them are in one page.',
    tag: 'Webhooks',
    effect: 'read',
    requires: 'management',
    params: webhookParams,
    headers: ofGeneration,
    response: Page(Type.Object({ id: Type.String(), description: Type.String() })),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND'],
  },
  removeWebhookTriggers: {
    method: 'DELETE',
    path: '/apps/:appId/webhooks/:webhookId/triggers',
    summary: 'Remove triggers from a webhook',
    description:
      'Removes triggers from a webhook. If one of them is not there, nothing is changed.',
    tag: 'Webhooks',
    effect: 'write',
    requires: 'management',
    audit: true,
    params: webhookParams,
    headers: ofGeneration,
    body,
    response: Data(Outcome),
    errors: ['ERR_APP_NOT_FOUND', 'ERR_WEBHOOK_NOT_FOUND', 'ERR_TRIGGER_NOT_FOUND'],
  },
})
