import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { EntryRow } from '../log/entries/index.ts'

interface ReceiptRow {
  readonly uid: string
  readonly deliveredAt: number
  readonly readAt: number | null
}

export interface ReceiptPage {
  readonly rows: readonly ReceiptRow[]
  /** Up to whom participants were looked at; undefined: all of them. */
  readonly upTo: string | undefined
}

type Move = 'delivered' | 'read'
type Sent = Pick<EntryRow, 'bucket' | 'key' | 'seq' | 'sender'>

/** When someone's position first was at a place or behind it. */
function firstMove(kind: Move, { bucket, key, seq }: Sent) {
  return sql`
    select m.at from position_moves m
    where m.bucket = ${bucket} and m.conversation_key = ${key} and m.uid = p.uid
      and m.kind = ${kind} and m.seq >= ${seq}
    order by m.seq limit 1`
}

/** By uid. A large group where few have read is looked at in pieces: `examine` at a time. */
export async function listReceipts(
  { appId, db }: AppDb,
  entry: Sent,
  page: { readonly after: string; readonly limit: number; readonly examine: number },
): Promise<ReceiptPage> {
  const { bucket, key, seq, sender } = entry
  const { rows } = await sql<{ upTo: string | null; uid: string | null } & ReceiptRow>`
    with examined as materialized (
      select p.uid, p.delivered_seq from participants p
      where p.bucket = ${bucket} and p.conversation_key = ${key} and p.uid > ${page.after}
        and p.app_id = ${appId}
      order by p.uid limit ${page.examine}
    ), reached as (
      select p.uid, least(d.at, r.at) as "deliveredAt", r.at as "readAt"
      from examined p
      left join lateral (${firstMove('delivered', entry)}) d on true
      left join lateral (${firstMove('read', entry)}) r on true
      where p.delivered_seq >= ${seq} and p.uid <> ${sender}
        and (d.at is not null or r.at is not null)
      order by p.uid limit ${page.limit}
    )
    select e."upTo", reached.*
    from (select case when count(*) = ${page.examine} then max(uid) end as "upTo"
          from examined) e
    left join reached on true order by reached.uid`.execute(db)
  return {
    rows: rows.filter(({ uid }) => uid !== null),
    upTo: rows[0]?.upTo ?? undefined,
  }
}
