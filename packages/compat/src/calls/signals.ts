import type { TransientMessage } from '../messages/transient-message.ts'
import type { TypingIndicator } from '../messages/typing-indicator.ts'
import { currentLogin } from '../session/state.ts'

function targetOf({ receiverId, receiverType }: TypingIndicator | TransientMessage) {
  return {
    receiver: receiverId,
    receiverType: receiverType === 'group' ? ('group' as const) : ('user' as const),
  }
}

/** Nobody hears it where there is no connection. */
export function startTyping(typing: TypingIndicator): void {
  currentLogin().session?.typing(targetOf(typing), 'started', metadataOf(typing))
}

export function endTyping(typing: TypingIndicator): void {
  currentLogin().session?.typing(targetOf(typing), 'ended', metadataOf(typing))
}

function metadataOf({ metadata }: TypingIndicator): Record<string, unknown> | undefined {
  return metadata && { ...metadata }
}

export function sendTransientMessage(message: TransientMessage): void {
  currentLogin().session?.sendEvent(targetOf(message), { ...message.data })
}
