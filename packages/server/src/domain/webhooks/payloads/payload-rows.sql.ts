import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { Verdict } from '../../log/entries/index.ts'

interface FounderRow {
  readonly uid: string
  readonly scope: string
  readonly joinedAt: number
}

/** Who was in a group from the start; no call adds more. */
export async function findFounders(
  { appId, db }: AppDb,
  guid: string,
  at: number,
): Promise<FounderRow[]> {
  const { rows } = await sql<FounderRow>`
    select m.uid, m.scope, m.joined_at as "joinedAt" from group_members m
    where m.app_id = ${appId} and m.guid = ${guid} and m.joined_at <= ${at}
    order by m.joined_at, m.uid limit 26`.execute(db)
  return rows
}

export interface CaughtRow {
  /** Null: users have reported it, and no rule has caught it. */
  readonly verdict: Verdict | null
  readonly openedAt: number
}

/** Why a message was blocked that is delivered by now. */
export async function findCaught({ appId, db }: AppDb, id: number): Promise<CaughtRow | undefined> {
  const { rows } = await sql<CaughtRow>`
    select verdict, created_at as "openedAt" from moderation_cases
    where app_id = ${appId} and message_id = ${id}`.execute(db)
  return rows[0]
}

export interface FlagRow {
  readonly uid: string
  readonly reasonId: string
  readonly remark: string | null
  readonly flaggedAt: number
}

/** What this user holds against a message. */
export async function findFlag(
  { appId, db }: AppDb,
  id: number,
  uid: string,
): Promise<FlagRow | undefined> {
  const { rows } = await sql<FlagRow>`
    select uid, reason_id as "reasonId", remark, flagged_at as "flaggedAt" from moderation_flags
    where app_id = ${appId} and message_id = ${id} and uid = ${uid}`.execute(db)
  return rows[0]
}
