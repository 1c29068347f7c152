import { actionOf } from '../log/entries/index.ts'
import { isMemberTrigger } from './decide.ts'
import { conversationWith, type NotificationEvent } from './notification-event.ts'
import type { Subject } from './notification-logs.sql.ts'

/** What the log is searched by. */
export function subjectOf(notificationEvent: NotificationEvent): Subject {
  const { row, receiver, trigger, actor } = notificationEvent
  return {
    messageId: row.id,
    messageSentAtMS: row.sentAt * 1000,
    messageCategory: row.category,
    messageType: row.type,
    sender: row.sender,
    receiver: conversationWith(notificationEvent, row.sender),
    receiverType: receiver.kind,
    ...(trigger === 'message_reaction_added' && {
      reactionSender: actor,
      reactionReceiver: row.sender,
    }),
    ...(isMemberTrigger(trigger) && { member: actionOf(row)?.on ?? row.sender }),
  }
}
