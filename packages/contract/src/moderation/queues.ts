import { type Static, Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data, Limited, limitQuery, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Action, Condition } from '../rules/rules.ts'
import { User } from '../users/users.ts'

export const MessageCaseId = Type.String({
  pattern: '^[1-9]\\d{0,15}$',
  'x-objection': 'Use the id of a message, which has digits only',
  description: 'Digits.',
})
const weight = Type.Integer({ description: 'Always 1.' })

const reason = Type.Optional(Type.String({ description: 'As a classifier gave it.' }))

/** Beside the message: other words than it has now. */
export const reportedFields = {
  reported: Type.Optional(
    Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
      description: 'What it said when users reported it, where it says something else by now.',
    }),
  ),
}

const caught = {
  ruleId: Type.String(),
  ruleName: Type.String(),
  revisionId: Type.String(),
}
const row = {
  message: Type.Object({ ...Message.properties, ...reportedFields }),
  action: Type.Array(Action),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

const BlockedMessage = Type.Object({
  ...caught,
  condition: Type.Object({ ...Condition.properties, weight }),
  reason,
  ...row,
})

/** The rule that has caught a message, if one has. */
export const ReviewRule = Type.Object({
  ...Type.Partial(Type.Object(caught)).properties,
  condition: Type.Optional(BlockedMessage.properties.condition),
  reason,
  action: Type.Array(Action),
})

export const ReportedBy = Type.Object({
  ...User.properties,
  reasonId: Type.String(),
  reasonName: Type.String(),
  description: Type.String(),
  remark: Type.Optional(Type.String()),
  flaggedAt: Timestamp,
})

const FlaggedMessage = Type.Object({
  ...Message.properties,
  ...reportedFields,
  appId: Type.String(),
  flaggedBy: Type.Array(ReportedBy),
  flaggedCount: Type.Integer({ description: 'By how many users; 0: by a rule alone.' }),
  rule: Type.Optional(
    Type.Object({ id: Type.String(), name: Type.String(), revisionId: Type.String() }),
  ),
})

const ReviewedMessage = Type.Object({
  ...Type.Partial(Type.Object(caught)).properties,
  condition: Type.Optional(
    Type.Object({ ...Condition.properties, message: Type.String(), weight }),
  ),
  reason,
  ...row,
  blockedAt: Type.String({ description: 'Unix seconds, a dot, and the id of the message.' }),
  appId: Type.String(),
})

const status = OneOf('approved', 'disapproved')
export type ReviewStatus = Static<typeof status>

const review = {
  method: 'PATCH',
  tag: 'Moderation',
  effect: 'write',
  requires: 'fullAccess',
  audit: true,
  body: Type.Object({ status }),
  response: Data(Outcome),
  errors: ['ERR_MESSAGE_ID_NOT_FOUND', 'ERR_CASE_CLAIMED'],
} as const

const list = {
  method: 'GET',
  tag: 'Moderation',
  effect: 'read',
  requires: 'fullAccess',
  query: Type.Object(limitQuery(50)),
  errors: [],
} as const

export const blockedMessages = operations({
  listBlockedMessages: {
    ...list,
    path: '/moderation/blocked-messages',
    summary: 'List messages that rules have blocked, newest first',
    description:
      'Lists messages that a rule has blocked and no moderator has reviewed, newest first, each ' +
      'with the rule and the condition that matched.',
    response: Limited(BlockedMessage),
  },
  reviewBlockedMessage: {
    ...review,
    path: '/moderation/blocked-messages/:messageId',
    summary: 'Approve a blocked message, which delivers it, or leave it blocked',
    description:
      'Decides about a blocked message: `approved` delivers it now, as a new message with its ' +
      'own id; `disapproved` leaves it blocked. A message that was delivered already is not ' +
      'found.',
    params: Type.Object({ messageId: MessageCaseId }),
  },
})

export const flaggedMessages = operations({
  listFlaggedMessages: {
    ...list,
    path: '/moderation/flagged-messages',
    summary: 'List messages that users or rules have flagged, newest first',
    description:
      'Lists messages that users have reported or a rule has flagged and no moderator has ' +
      'reviewed, newest first, with who reported them and why.',
    response: Limited(FlaggedMessage),
  },
  reviewFlaggedMessage: {
    ...review,
    path: '/moderation/flagged-messages/:id',
    summary: 'Let a flagged message stand, or withhold it from all but its sender',
    description:
      'Decides about a flagged message: `approved` leaves it as it is, `disapproved` withholds ' +
      'it from everyone but its sender.',
    params: Type.Object({ id: MessageCaseId }),
  },
  listReviewedMessages: {
    ...list,
    path: '/moderation/reviewed-messages',
    summary: 'List messages that moderators have reviewed, the last one first',
    description: 'Lists messages that a moderator has decided about, the last decision first.',
    response: Limited(ReviewedMessage),
  },
  flagMessage: {
    method: 'POST',
    path: '/messages/:id/flagged',
    summary: 'Report a message to the moderators',
    description:
      'Reports a message to the moderators as the acting user, who must be able to see it. ' +
      '`reasonId` is one of the reasons of the app.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    onBehalfOf: 'required',
    device: 'acting',
    params: Type.Object({ id: MessageCaseId }),
    body: Type.Object({
      reasonId: Type.String({ minLength: 1, maxLength: 100, 'x-lowercase': true }),
      remark: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    response: Data(Outcome),
    errors: [
      'ERR_UID_NOT_FOUND',
      'ERR_MESSAGE_ID_NOT_FOUND',
      'ERR_MESSAGE_NO_ACCESS',
      'ERR_MESSAGE_ACTION_NOT_ALLOWED',
      'ERR_REASON_NOT_FOUND',
    ],
  },
})
