import { eraseDeletedLogs } from './domain/conversations/index.ts'
import { indexMessages } from './domain/messages/index.ts'
import type { Listener } from './outbox/listener.ts'

/** Every event meets its listeners: each of these says what it listens to. */
export const listeners: readonly Listener[] = [eraseDeletedLogs, indexMessages]
