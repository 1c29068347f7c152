import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { prepared, run } from '../../database/prepared.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { entryColumns } from '../log/index.ts'

/** A user's place in a conversation, and where the conversation stands. */
export interface MembershipRow extends ConversationKey {
  readonly appId: string
  readonly uid: string
  readonly withUid: string | null
  readonly withGuid: string | null
  readonly resetSeq: number
  readonly head: number
  readonly change: number
}

const memberships = prepared<MembershipRow>(
  'memberships',
  `select p.app_id as "appId", p.uid, p.bucket, p.conversation_key as key,
          p.with_uid as "withUid", p.with_guid as "withGuid", p.reset_seq as "resetSeq",
          c.head, c.change
   from unnest($1::text[], $2::text[]) as w(app_id, uid)
   join participants p on p.app_id = w.app_id and p.uid = w.uid
   cross join lateral (
     select c.head, c.change from conversations c
     where c.bucket = p.bucket and c.conversation_key = p.conversation_key limit 1) c`,
)

/** Every conversation of these users. */
export async function findMemberships(
  db: Db,
  users: readonly { readonly appId: string; readonly uid: string }[],
): Promise<MembershipRow[]> {
  return run(db, memberships, [users.map(({ appId }) => appId), users.map(({ uid }) => uid)])
}

/** One conversation of one user, if it is theirs. */
export async function findMembership(
  { appId, db }: AppDb,
  uid: string,
  { bucket, key }: ConversationKey,
): Promise<MembershipRow | undefined> {
  const { rows } = await sql<MembershipRow>`
    select p.app_id as "appId", p.uid, p.bucket, p.conversation_key as key,
           p.with_uid as "withUid", p.with_guid as "withGuid", p.reset_seq as "resetSeq",
           c.head, c.change
    from participants p
    join conversations c on c.bucket = p.bucket and c.conversation_key = p.conversation_key
    where p.bucket = ${bucket} and p.conversation_key = ${key} and p.uid = ${uid}
      and p.app_id = ${appId}`.execute(db)
  return rows[0]
}

export interface HeadRow extends ConversationKey {
  readonly head: number
  readonly change: number
}

const heads = prepared<HeadRow>(
  'heads',
  `select w.bucket, w.key, c.head, c.change
   from unnest($1::text[], $2::smallint[], $3::bigint[]) as w(app_id, bucket, key)
   cross join lateral (
     select c.head, c.change from conversations c
     where c.bucket = w.bucket and c.conversation_key = w.key and c.app_id = w.app_id limit 1) c`,
)

/** Where these conversations stand; those that are gone are left out. */
export async function findHeads(
  db: Db,
  wanted: readonly (ConversationKey & { readonly appId: string })[],
): Promise<HeadRow[]> {
  return run(db, heads, [
    wanted.map(({ appId }) => appId),
    wanted.map(({ bucket }) => bucket),
    wanted.map(({ key }) => key),
  ])
}

export type FeedRow = EntryRow & { readonly change: number }

export async function entriesAfter(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seq: number,
  most: number,
): Promise<FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select ${entryColumns}, e.change from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq > ${seq}
      and e.app_id = ${appId}
    order by e.seq limit ${most}`.execute(db)
  return rows
}

/** Entries between two seqs that changed since, each as it is now, in the order of their changes. */
export async function changesAfter(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  since: { readonly change: number; readonly afterSeq: number; readonly upToSeq: number },
  most: number,
): Promise<FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select ${entryColumns}, e.change from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.change > ${since.change}
      and e.change > 0 and e.seq > ${since.afterSeq} and e.seq <= ${since.upToSeq}
      and e.app_id = ${appId}
    order by e.change limit ${most}`.execute(db)
  return rows
}

/** The public id of an entry. */
export async function findEntryId(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seq: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from entries
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq} and app_id = ${appId}
  `.execute(db)
  return rows[0]?.id
}
