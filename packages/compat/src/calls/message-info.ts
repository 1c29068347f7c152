import { REACTION_ACTION } from '../constants.ts'
import type { BaseMessage } from '../messages/base-message.ts'
import { type Reaction, ReactionCount } from '../messages/reaction.ts'
import { loginIfAny } from '../session/state.ts'
import { getConversationFromMessage } from './conversations.ts'

/** The message with a reaction that a listener has heard of. */
function updateMessageWithReactionInfo(
  message: BaseMessage,
  { reaction, uid }: Reaction,
  action: string,
): BaseMessage {
  const step = action === REACTION_ACTION.REACTION_ADDED ? 1 : -1
  const isMine = uid === loginIfAny()?.user.uid
  const before = message.reactions.find((one) => one.reaction === reaction)
  const count = (before?.count ?? 0) + step
  const byMe = isMine ? step > 0 : (before?.reactedByMe ?? false)
  const others = message.reactions.filter((one) => one !== before)
  message.setReactions(count > 0 ? [...others, new ReactionCount(reaction, count, byMe)] : others)
  return message
}

export const CometChatHelper = { getConversationFromMessage, updateMessageWithReactionInfo }
