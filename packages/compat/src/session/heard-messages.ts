import type { Message } from '@chorale/sdk'
import { CATEGORY_CUSTOM, CATEGORY_MESSAGE } from '../constants.ts'
import type { Group } from '../entities/group.ts'
import { User } from '../entities/user.ts'
import { tell } from '../listeners/registry.ts'
import { Action } from '../messages/action.ts'
import { CustomMessage } from '../messages/custom-message.ts'
import { messageOf } from '../messages/from-wire.ts'
import { MediaMessage } from '../messages/media-message.ts'
import { TextMessage } from '../messages/text-message.ts'
import { hearReactions } from './heard-reactions.ts'
import { isOwnChange, isOwnSend } from './own-acts.ts'
import { remember } from './people.ts'

/** Messages as they were last heard, so that a change tells what is new. */
const seen = new Map<string, Message>()
const maxSeen = 1000
let lastId = 0

/** The id of the newest message that came over the connection. */
export function getLastDeliveredMessageId(): number {
  return lastId
}

export function forgetMessages(): void {
  seen.clear()
  lastId = 0
}

function keep(message: Message): void {
  seen.delete(message.id)
  seen.set(message.id, message)
  const [oldest] = seen.keys()
  if (seen.size > maxSeen && oldest !== undefined) seen.delete(oldest)
}

export function hearMessage(wire: Message, me: string): void {
  keep(wire)
  if (wire.sender !== me) lastId = Math.max(lastId, Number(wire.id))
  const { sender } = wire.data.entities ?? {}
  if (sender) remember(sender.entity)
  if (isOwnSend(wire)) return
  const message = messageOf(wire)
  if (message instanceof TextMessage) tell('message', 'onTextMessageReceived', message)
  else if (message instanceof MediaMessage) tell('message', 'onMediaMessageReceived', message)
  else if (message instanceof CustomMessage) tell('message', 'onCustomMessageReceived', message)
  else if (message instanceof Action && message.type === 'groupMember') hearAction(message, me)
}

/** Whoever did it knows. */
function hearAction(message: Action, me: string): void {
  const { action, actionBy: by, actionOn: on, actionFor } = message
  if (!by || by.uid === me) return
  // Actions on members are for groups.
  const group = actionFor as Group
  const name = withMember[action]
  if (action === 'joined') tell('group', 'onGroupMemberJoined', message, by, group)
  else if (action === 'left') tell('group', 'onGroupMemberLeft', message, by, group)
  else if (name && on instanceof User) tell('group', name, message, on, by, group)
  else if (action === 'scopeChanged' && on instanceof User) {
    const { newScope = '', oldScope = '' } = message
    tell('group', 'onGroupMemberScopeChanged', message, on, newScope, oldScope, group)
  }
}

const withMember: Readonly<
  Record<
    string,
    'onGroupMemberKicked' | 'onGroupMemberBanned' | 'onGroupMemberUnbanned' | 'onMemberAddedToGroup'
  >
> = {
  kicked: 'onGroupMemberKicked',
  banned: 'onGroupMemberBanned',
  unbanned: 'onGroupMemberUnbanned',
  added: 'onMemberAddedToGroup',
}

export async function hearChange(wire: Message): Promise<void> {
  const before = seen.get(wire.id)
  keep(wire)
  if (![CATEGORY_MESSAGE, CATEGORY_CUSTOM].includes(wire.category)) return
  const message = messageOf(wire)
  if (wire.deletedAt !== undefined) {
    if (before?.deletedAt === undefined && !isOwnChange('deleted', wire.id)) {
      tell('message', 'onMessageDeleted', message)
    }
    return
  }
  if (isEdited(wire, before) && !isOwnChange('edited', wire.id)) {
    tell('message', 'onMessageEdited', message)
  }
  await hearReactions(wire, before)
}

/** Of a message that was not seen before, the last change is the edit. */
function isEdited(wire: Message, before: Message | undefined): boolean {
  if (wire.editedAt === undefined) return false
  if (!before) return wire.editedAt === wire.updatedAt
  return wire.editedAt !== before.editedAt || wire.data.text !== before.data.text
}
