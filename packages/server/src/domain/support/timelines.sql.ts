import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { findById } from '../../database/buckets.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

interface CaseRow {
  readonly kind: 'blocked' | 'flagged'
  readonly status: 'open' | 'approved' | 'disapproved'
  readonly createdAt: number
  readonly updatedAt: number
}

export interface MessageRow extends ConversationKey {
  readonly seq: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly sentAt: number
  readonly editedAt: number | null
  readonly deletedAt: number | null
  readonly isWithheld: boolean
  readonly isPending: boolean
  readonly rule: string | null
  readonly review: CaseRow | null
}

/** Whatever has become of it; not what it says. */
export function findTimelineOf({ appId, db }: AppDb, id: number): Promise<MessageRow | undefined> {
  return findById(id, async (here) => {
    const { rows } = await sql<MessageRow>`
      select e.bucket, e.conversation_key as key, e.seq, e.sender, e.category, e.type,
             e.sent_at as "sentAt", e.edited_at as "editedAt", e.deleted_at as "deletedAt",
             coalesce((e.verdict -> 'sealed') is not null, false) as "isWithheld",
             coalesce((e.verdict -> 'pending') is not null, false) as "isPending",
             e.verdict #>> '{rule,name}' as rule,
             (select jsonb_build_object('kind', c.kind, 'status', c.status,
                                        'createdAt', c.created_at, 'updatedAt', c.updated_at)
              from moderation_cases c where c.app_id = e.app_id and c.message_id = e.id) as review
      from entries e
      where ${here} and e.id = ${id} and e.app_id = ${appId}`.execute(db)
    return rows[0]
  })
}

export interface RecipientRow {
  readonly uid: string
  readonly deliveredAt: number | null
  readonly readAt: number | null
  readonly pushedAt: number | null
}

/** In the order of their uids, behind `after`. */
export async function listRecipients(
  { appId, db }: AppDb,
  { bucket, key, seq, sender }: MessageRow,
  id: number,
  page: { readonly after: string; readonly limit: number },
): Promise<RecipientRow[]> {
  const firstMove = (kind: 'delivered' | 'read') => sql`
    select m.at from position_moves m
    where m.bucket = ${bucket} and m.conversation_key = ${key} and m.uid = p.uid
      and m.kind = ${kind} and m.seq >= ${seq}
    order by m.seq limit 1`
  const { rows } = await sql<RecipientRow>`
    select p.uid, least(d.at, r.at) as "deliveredAt", r.at as "readAt",
           (select max(n.ended_at_ms) / 1000 from notification_deliveries n
            where n.app_id = ${appId} and n.message_id = ${id} and n.uid = p.uid
              and n.channel = 'push' and n.status = 'sent') as "pushedAt"
    from (
      select p.uid from participants p
      where p.bucket = ${bucket} and p.conversation_key = ${key} and p.app_id = ${appId}
        and p.uid > ${page.after} and p.uid <> ${sender}
      order by p.uid limit ${page.limit}) p
    left join lateral (${firstMove('delivered')}) d on true
    left join lateral (${firstMove('read')}) r on true
    order by p.uid`.execute(db)
  return rows
}
