import type { Listener } from '../../outbox/listener.ts'
import { eraseEntries } from './erasure/index.ts'

const maxPerStep = 5000

/** The log of a deleted group has no way to be read any more. It goes in steps that lock little. */
export const eraseDeletedLogs: Listener = {
  name: 'erase-deleted-logs',
  idempotent: true,
  on: {
    async 'group.deleted'({ payload }, { db }) {
      return (await eraseEntries(db, payload, maxPerStep)) ? 'again' : undefined
    },
  },
}
