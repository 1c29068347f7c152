import type { HeardEvent, Listener } from '../../outbox/listener.ts'
import { deleteWords } from './search.sql.ts'
import { indexEntries } from './search.ts'

const mostPerStep = 5000

/** Messages are found by their words soon after they were sent, edited or deleted. */
export const indexMessages: Listener = {
  name: 'index-messages',
  harmlessTwice: true,
  on: {},
  together: {
    names: ['entry.appended', 'message.edited', 'message.deleted', 'message.blocked'],
    react: (events, { db }) => indexEntries(db.db, events.flatMap(placeOf)),
  },
}

/** What was said in a group that is gone leaves the index too, in steps that lock little. */
export const forgetDeletedGroups: Listener = {
  name: 'forget-deleted-groups',
  harmlessTwice: true,
  on: {
    async 'group.deleted'({ payload }, { db }) {
      return (await deleteWords(db, payload, mostPerStep)) ? 'again' : undefined
    },
  },
}

function placeOf({ payload }: HeardEvent) {
  if (!('bucket' in payload && 'seq' in payload)) return []
  const { bucket, key, seq } = payload
  return [{ bucket, key, firstSeq: seq, lastSeq: seq }]
}
