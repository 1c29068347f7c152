// What `node tools/table-owners.ts` lets pass, each with its reason. The lists only get shorter: an entry that is no
// longer true fails.

const repliesAreCounted = 'counts the replies of the batch, in the transaction that appends them'
const conversationIsDeleted =
  'erases the entries of a deleted conversation, and with them every row that names one of them'

/** Who else writes a table than its owner: by table, then by file or SQL function. */
export const otherWriters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  append_receipts: {
    'append_entries()':
      'notes what the batch appended, for the outbox to publish, in the same transaction',
  },
  conversations: {
    'domain/messages/messages.sql.ts':
      'takes the next number of a change together with the change of the entry',
  },
  entries: {
    'domain/messages/messages.sql.ts':
      'edits, deletes, withholds and releases what the log has appended',
  },
  entry_edits: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  interactions: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  moderation_judgements: {
    'append_entries()': 'enqueues the judgement of a message, in the transaction that appends it',
  },
  pins: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  reactions: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  saves: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  thread_subscriptions: { 'domain/conversations/log.sql.ts': conversationIsDeleted },
  threads: {
    'append_entries()': repliesAreCounted,
    'domain/conversations/log.sql.ts': conversationIsDeleted,
  },
}

/** Files that write tables of all modules, whose names they read elsewhere. */
export const forAllModules: Readonly<Record<string, string>> = {
  'database/resealing.ts':
    'seals every secret with the current key; vault/sealed-columns.ts names the tables',
  'domain/apps/erasure.sql.ts':
    'erases an app from every table that the catalogue says has an app_id',
}

/** Tables that no statement of the service writes. */
export const withoutWriter: Readonly<Record<string, string>> = {
  install: 'its only row is inserted by the migration that creates it',
}
