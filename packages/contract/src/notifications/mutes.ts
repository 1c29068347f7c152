import { type Static, Type } from 'typebox'
import { Data, Identifier, OneOf } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Success } from './fields.ts'
import { ofUser } from './preferences.ts'

const conversation = {
  id: Identifier('Uid of the other user, or guid of the group.'),
  type: OneOf('oneOnOne', 'group'),
}

const MutedConversation = Type.Object({
  ...conversation,
  until: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Unix milliseconds; without it, until it is unmuted.',
    }),
  ),
})
export type MutedConversation = Static<typeof MutedConversation>

const path = '/notifications/v1/preferences/mute'
const atOnce = { minItems: 1, maxItems: 100 }

export const mutes = operations({
  listMutedConversations: {
    ...ofUser,
    method: 'GET',
    path,
    summary: 'List the conversations that a user has muted',
    description:
      'Lists the conversations of which a user is not notified, with the time at which each ' +
      'mute ends.',
    effect: 'read',
    response: Data(Type.Object({ mutedConversations: Type.Array(MutedConversation) })),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  muteConversations: {
    ...ofUser,
    method: 'PUT',
    path,
    summary: 'Mute conversations for a user, where the app leaves the choice',
    description:
      'Mutes conversations for a user, for ever or until a time in unix milliseconds: they get ' +
      'no notifications of them. A user can mute 1000. Kinds of conversations for which the app ' +
      'does not leave the choice are ignored.',
    effect: 'write',
    body: Type.Object({ conversations: Type.Array(MutedConversation, atOnce) }),
    response: Data(Success),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  unmuteConversations: {
    ...ofUser,
    method: 'DELETE',
    path,
    summary: 'Unmute conversations for a user',
    description: 'Ends the mute of conversations for a user.',
    effect: 'write',
    body: Type.Object({ conversations: Type.Array(Type.Object(conversation), atOnce) }),
    response: Data(Success),
    errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
})
