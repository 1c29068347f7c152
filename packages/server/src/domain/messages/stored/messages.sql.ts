import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { findById } from '../../../database/buckets.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { Entry, EntryRow } from '../../log/entries/index.ts'
import { entryColumns } from '../../log/index.ts'

export interface FoundRow extends EntryRow {
  readonly guid: string | null
  readonly uid: string | null
  readonly withUid: string | null
}

/** The group or the two users of an entry's conversation. */
export const sides = sql`
  left join groups g on g.bucket = e.bucket and g.conversation_key = e.conversation_key
  left join lateral (
    select p.uid, p.with_uid from participants p
    where g.guid is null and p.bucket = e.bucket and p.conversation_key = e.conversation_key
    limit 1) p on true`

/** Needs the tables `e` and those of `sides`. */
export const foundColumns = sql`${entryColumns}, g.guid, p.uid, p.with_uid as "withUid"`

/** Holds the conversation of an entry: nothing in it changes until the end. */
export async function lockConversationOf({ appId, db }: AppDb, id: number): Promise<void> {
  await findById(id, async (here) => {
    const { rows } = await sql`
      select from entries e
      join conversations c on c.bucket = e.bucket and c.conversation_key = e.conversation_key
      where ${here} and e.id = ${id} and e.app_id = ${appId}
      for no key update of c`.execute(db)
    return rows[0]
  })
}

export async function findMessage(
  { appId, db }: AppDb,
  id: number,
  lock: boolean,
  /** Whose withheld messages are found, too. */
  own?: string,
): Promise<Entry | undefined> {
  const row = await findById(id, async (here) => {
    const { rows } = await sql<FoundRow>`
      select ${foundColumns} from entries e
      join conversations c on c.bucket = e.bucket and c.conversation_key = e.conversation_key
      ${sides}
      where ${here} and e.id = ${id} and e.app_id = ${appId}
        and (not e.erased or (e.sender = ${own ?? null} and e.verdict ? 'sealed'))
      ${lock ? sql`for no key update of e` : sql``}`.execute(db)
    return rows[0]
  })
  return row && asFound(row)
}

export function asFound({ guid, uid, withUid, ...row }: FoundRow): Entry {
  const receiver: Receiver =
    guid === null ? { kind: 'user', uids: [uid ?? '', withUid ?? ''] } : { kind: 'group', guid }
  return { row, receiver }
}
