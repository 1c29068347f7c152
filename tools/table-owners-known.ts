// What `node tools/table-owners.ts` lets pass, each with its reason. The lists only get shorter: an entry that is no
// longer true fails.

/** Who else writes a table than its owner: by table, then by file. */
export const otherWriters: Readonly<Record<string, Readonly<Record<string, string>>>> = {}

/** Files that write tables of all modules, whose names they read elsewhere. */
export const forAllModules: Readonly<Record<string, string>> = {
  'database/resealing.ts':
    'seals every secret with the current key; vault/sealed-columns.ts names the tables',
  'domain/erasures/rows.sql.ts':
    'erases a user from the tables that domain/erasures/tables.ts names',
  'domain/apps/erasure.sql.ts':
    'erases an app from every table that the catalogue says has an app_id',
  'domain/retention/beside.sql.ts':
    'deletes rows about messages that are too old, from the tables that domain/retention/tables.ts names',
  'jobs/queue.sql.ts': 'claims and releases jobs, in the tables that modules define as queues',
}

/** Tables that no statement of the service writes. */
export const withoutWriter: Readonly<Record<string, string>> = {
  install: 'its only row is inserted by the migration that creates it',
}
