import { eraseDeletedLogs } from './domain/log/index.ts'
import { indexMessages } from './domain/messages/search/index.ts'
import { forgetDeletedGroups } from './domain/messages/stored/index.ts'
import { announceMessages, notifyUsers } from './domain/notifications/index.ts'
import { openCases, punishSenders } from './domain/rules/cases/index.ts'
import { countEvents } from './domain/stats/index.ts'
import { notifyWebhooks } from './domain/webhooks/index.ts'
import type { Listener } from './outbox/listener.ts'

/** Every event meets its listeners: each of these says what it listens to. */
export const listeners: readonly Listener[] = [
  eraseDeletedLogs,
  forgetDeletedGroups,
  indexMessages,
  openCases,
  punishSenders,
  countEvents,
  notifyWebhooks,
  notifyUsers,
  announceMessages,
]
