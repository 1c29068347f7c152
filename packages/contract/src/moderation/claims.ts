import { Type } from 'typebox'
import { Message } from '../conversations/entries.ts'
import { Data, Identifier, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { MessageCaseId, ReportedBy, ReviewRule, reportedFields } from './queues.ts'

const Kind = OneOf('blocked', 'flagged')
const moderator = Type.Optional(
  Identifier('Who claims, where a key calls. In the console it is the person who has signed in.'),
)

const ClaimedMessage = Type.Object({
  messageId: Type.String({ description: 'By which it is reviewed.' }),
  kind: Kind,
  status: OneOf('open', 'approved', 'disapproved'),
  message: Type.Object({ ...Message.properties, ...reportedFields }),
  ...ReviewRule.properties,
  flaggedBy: Type.Array(ReportedBy),
  createdAt: Timestamp,
  claimedUntil: Timestamp,
})

export const claims = operations({
  claimMessages: {
    method: 'POST',
    path: '/moderation/claims',
    summary: 'Claim messages that wait for moderators',
    description:
      'Takes up to `limit` blocked and flagged messages that wait for a moderator, the oldest ' +
      'first, for two minutes; those that the moderator holds already are among them, for two ' +
      'minutes more. A collaborator who did not claim a message cannot decide about it until then, ' +
      'and afterwards only after a claim by its id. `messageIds` claims these instead, also when ' +
      'they are decided; what somebody else holds is left out.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    body: Type.Object({
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 50 }), 20),
      kind: Type.Optional(Kind),
      messageIds: Type.Optional(Type.Array(MessageCaseId, { minItems: 1, maxItems: 50 })),
      moderator,
    }),
    response: Type.Object({
      data: Type.Array(ClaimedMessage),
      meta: Type.Object({
        open: Type.Integer({ description: 'How many wait, up to 1,000.' }),
        heldByOthers: Type.Integer({ description: 'How many of them other moderators hold.' }),
      }),
    }),
    errors: [],
  },
  releaseMessages: {
    method: 'DELETE',
    path: '/moderation/claims',
    summary: 'Give back messages that were claimed',
    description: 'Lets others claim what the moderator holds and has not decided.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    body: Type.Object({ moderator }),
    response: Data(Outcome),
    errors: [],
  },
})
