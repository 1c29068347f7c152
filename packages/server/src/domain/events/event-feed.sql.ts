import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints, smallints } from '../../database/arrays.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { Receiver } from '../../realtime/ports.ts'

/** A conversation, and an entry of it where one is wanted. */
export interface Reference extends ConversationKey {
  readonly seq?: number | undefined
}

export interface Found {
  readonly receiver: Receiver
  /** Of the entry. */
  readonly id: number | null
  readonly sender: string | null
}

interface Row extends ConversationKey {
  readonly seq: number
  readonly guid: string | null
  readonly uid: string | null
  readonly withUid: string | null
  readonly id: number | null
  readonly sender: string | null
}

const noEntry = 0

const nameOf = ({ bucket, key, seq = noEntry }: Reference) => `${bucket}/${key}/${seq}`

/** Each conversation and entry, in one statement. Those that were deleted are not found. */
export async function findReferenced(
  { appId, db }: AppDb,
  references: readonly Reference[],
): Promise<(reference: Reference) => Found | undefined> {
  const wanted = [...new Map(references.map((one) => [nameOf(one), one])).values()]
  if (wanted.length === 0) return () => undefined
  // Lateral with a limit: a probe of the index for each, however large the tables are.
  const { rows } = await sql<Row>`
    select w.bucket, w.key, w.seq, g.guid, p.uid, p.with_uid as "withUid", e.id, e.sender
    from unnest(${smallints(wanted.map(({ bucket }) => bucket))}::smallint[],
                ${bigints(wanted.map(({ key }) => key))}::bigint[],
                ${bigints(wanted.map(({ seq }) => seq ?? noEntry))}::bigint[]) as w(bucket, key, seq)
    cross join lateral (
      select from conversations c
      where c.bucket = w.bucket and c.conversation_key = w.key and c.app_id = ${appId} limit 1) c
    left join lateral (
      select g.guid from groups g
      where g.bucket = w.bucket and g.conversation_key = w.key limit 1) g on true
    left join lateral (
      select p.uid, p.with_uid from participants p
      where g.guid is null and p.bucket = w.bucket and p.conversation_key = w.key limit 1) p on true
    left join lateral (
      select e.id, e.sender from entries e
      where e.bucket = w.bucket and e.conversation_key = w.key and e.seq = w.seq limit 1) e on true
  `.execute(db)
  const found = new Map(
    rows.flatMap((row) => {
      const receiver = receiverOf(row)
      return receiver ? [[nameOf(row), { ...row, receiver }] as const] : []
    }),
  )
  return (reference) => found.get(nameOf(reference))
}

function receiverOf({ guid, uid, withUid }: Row): Receiver | undefined {
  if (guid !== null) return { kind: 'group', guid }
  return uid === null || withUid === null ? undefined : { kind: 'user', uids: [uid, withUid] }
}
