import type { Listener } from '../../../outbox/listener.ts'
import { fileRemovalQueue, releaseFilesIn } from '../../files/index.ts'
import { deleteWords } from '../search/search.sql.ts'
import { eraseTraces } from './traces.sql.ts'

const maxPerStep = 5000

/** Of a deleted group, what people left on its messages and the words they are found by, in steps that lock little. */
export const forgetDeletedGroups: Listener = {
  name: 'forget-deleted-groups',
  idempotent: true,
  on: {
    async 'group.deleted'({ payload }, { db, outbox }) {
      const moreWords = await deleteWords(db, payload, maxPerStep)
      const moreTraces = await eraseTraces(db, payload, maxPerStep)
      const moreFiles = await releaseFilesIn(db, payload, maxPerStep)
      outbox.wake(fileRemovalQueue)
      return moreWords || moreTraces || moreFiles ? 'again' : undefined
    },
  },
}
