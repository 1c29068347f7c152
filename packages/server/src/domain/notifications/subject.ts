import { actionOf } from '../log/entries/index.ts'
import { isMemberTrigger } from './decide.ts'
import type { Subject } from './notification-logs.sql.ts'
import { conversationWith, type Scene } from './scene.ts'

/** What the log is searched by. */
export function subjectOf(scene: Scene): Subject {
  const { row, receiver, trigger, actor } = scene
  return {
    messageId: row.id,
    messageSentAtMS: row.sentAt * 1000,
    messageCategory: row.category,
    messageType: row.type,
    sender: row.sender,
    receiver: conversationWith(scene, row.sender),
    receiverType: receiver.kind,
    ...(trigger === 'message_reaction_added' && {
      reactionSender: actor,
      reactionReceiver: row.sender,
    }),
    ...(isMemberTrigger(trigger) && { member: actionOf(row)?.on ?? row.sender }),
  }
}
