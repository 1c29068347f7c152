import type { GroupScope, GroupType } from '@chorale/contract/groups'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

/** A group as a viewer sees it, who may be no one. */
export interface GroupRow {
  readonly guid: string
  readonly name: string
  readonly sortName: string
  readonly type: GroupType
  readonly icon: string | null
  readonly description: string | null
  readonly metadata: Record<string, unknown> | null
  readonly owner: string
  readonly tags: string[] | null
  readonly membersCount: number
  readonly scope: GroupScope | null
  readonly joinedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number | null
  readonly updatedBy: string | null
}

/** Needs the tables `g`, `c` and `m`: see `groupSource`. */
export const groupColumns = sql`
  g.guid, g.name, g.sort_name as "sortName", g.type, g.icon, g.description, g.metadata, g.owner,
  g.tags, c.participants_count as "membersCount", m.scope, m.joined_at as "joinedAt",
  g.created_at as "createdAt", g.updated_at as "updatedAt", g.updated_by as "updatedBy"`

export function groupSource(viewer: string | undefined) {
  return sql`
    groups g
    join conversations c on c.bucket = g.bucket and c.conversation_key = g.conversation_key
    left join group_members m
      on m.app_id = g.app_id and m.guid = g.guid and m.uid = ${viewer ?? null}`
}

export async function findGroups(
  { appId, db }: AppDb,
  guids: readonly string[],
  viewer: string | undefined,
): Promise<GroupRow[]> {
  if (guids.length === 0) return []
  const { rows } = await sql<GroupRow>`
    select ${groupColumns} from ${groupSource(viewer)}
    where g.app_id = ${appId} and g.guid = any(${guids})`.execute(db)
  return rows
}
