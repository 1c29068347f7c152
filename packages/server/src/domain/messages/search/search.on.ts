import type { HeardEvent, Listener } from '../../../outbox/listener.ts'
import { indexEntries } from './search.ts'

/** Messages are found by their words soon after they were sent, edited or deleted. */
export const indexMessages: Listener = {
  name: 'index-messages',
  idempotent: true,
  on: {},
  together: {
    names: [
      'entry.appended',
      'entry.imported',
      'message.edited',
      'message.deleted',
      'message.blocked',
    ],
    react: (events, { db }) => indexEntries(db.db, events.flatMap(placeOf)),
  },
}

function placeOf({ payload }: HeardEvent) {
  if (!('bucket' in payload && 'seq' in payload)) return []
  const { bucket, key, seq } = payload
  return [{ bucket, key, firstSeq: seq, lastSeq: seq }]
}
