import type { GroupScope } from '@chorale/contract/groups'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'

/** A group that members or messages from elsewhere come into. */
export interface GroupToFill extends ConversationKey {
  readonly guid: string
  readonly createdAt: number
}

/** Those that exist, by guid. None is deleted until the end. */
export async function findGroupsToFill(
  { appId, db }: AppDb,
  guids: readonly string[],
): Promise<Map<string, GroupToFill>> {
  const { rows } = await sql<GroupToFill>`
    select guid, bucket, conversation_key as key, created_at as "createdAt" from groups
    where app_id = ${appId} and guid = any(${guids})
    order by guid for share`.execute(db)
  return new Map(rows.map((row) => [row.guid, row]))
}

export interface MemberFromElsewhere {
  readonly uid: string
  readonly scope: GroupScope
  readonly joinedAt: number
}

/** Who of these was no member before. */
export async function insertMembersAt(
  { appId, db }: AppDb,
  guid: string,
  members: readonly MemberFromElsewhere[],
): Promise<Set<string>> {
  const { rows } = await sql<{ uid: string }>`
    insert into group_members (app_id, guid, uid, scope, joined_at)
    select ${appId}, ${guid}, m.uid, m.scope, m.at
    from unnest(${members.map(({ uid }) => uid)}::text[],
                ${members.map(({ scope }) => scope)}::text[],
                ${members.map(({ joinedAt }) => joinedAt)}::bigint[]) as m(uid, scope, at)
    order by m.uid
    on conflict (app_id, guid, uid) do nothing
    returning uid`.execute(db)
  return new Set(rows.map(({ uid }) => uid))
}

/** Of someone who left and came again, too. */
export async function updateMember(
  { appId, db }: AppDb,
  guid: string,
  { uid, scope, joinedAt }: MemberFromElsewhere,
): Promise<void> {
  await sql`
    update group_members set scope = ${scope}, joined_at = ${joinedAt}
    where app_id = ${appId} and guid = ${guid} and uid = ${uid}`.execute(db)
}
