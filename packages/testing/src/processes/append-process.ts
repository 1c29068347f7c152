/** A second server, as far as the log is concerned: `node append-process.ts <database url>`. */
import { openDatabase } from '../../../server/src/database/pool.ts'
import type { Appended, NewEntry } from '../../../server/src/domain/log/log.sql.ts'
import { openAppendBatcher } from '../../../server/src/domain/log/log.ts'

/** What came of each entry, in their order. */
export type Outcome = Appended | { readonly error: string }

const database = openDatabase({
  url: process.argv[2] ?? '',
  poolSize: 4,
  statementTimeoutMs: 60_000,
  onIdleError: (error) => console.error(error),
})
const batcher = openAppendBatcher(database.db, () => Math.floor(Date.now() / 1000))

async function outcomeOf(entry: NewEntry): Promise<Outcome> {
  try {
    return await batcher.add(entry)
  } catch (error) {
    return { error: String(error) }
  }
}

async function appendAll(entries: readonly NewEntry[]): Promise<void> {
  process.send?.(await Promise.all(entries.map(outcomeOf)))
}

process.on('message', (entries) => {
  // The other end is `startAppendProcess`, which sends nothing else.
  void appendAll(entries as NewEntry[])
})
process.on('disconnect', () => void database[Symbol.asyncDispose]())
await database.ping()
process.send?.('ready')
