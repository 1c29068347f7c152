import type { GroupScope, GroupType } from '@chorale/contract/groups'
import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { byPlace } from '../../database/loader.ts'
import { prepared, run } from '../../database/prepared.ts'

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
  readonly rowVersion: number
}

/** Needs the tables `g`, `c` and `m`: see `groupSource`. */
export const groupColumnsText = `
  g.guid, g.name, g.sort_name as "sortName", g.type, g.icon, g.description, g.metadata, g.owner,
  g.tags, c.participants_count as "membersCount", m.scope, m.joined_at as "joinedAt",
  g.created_at as "createdAt", g.updated_at as "updatedAt", g.updated_by as "updatedBy",
  g.row_version as "rowVersion"`
export const groupColumns = sql.raw(groupColumnsText)

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

/** A group and who looks at it. */
export interface SeenGroup {
  readonly appId: string
  readonly guid: string
  readonly viewer: string | undefined
}

const seenGroups = prepared<GroupRow & { place: number }>(
  'seen groups',
  `select w.place, ${groupColumnsText}
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality as w(app_id, guid, viewer, place)
   join groups g on g.app_id = w.app_id and g.guid = w.guid
   join conversations c on c.bucket = g.bucket and c.conversation_key = g.conversation_key
   left join group_members m on m.app_id = g.app_id and m.guid = g.guid and m.uid = w.viewer`,
)

export async function findSeenGroups(
  db: Db,
  wanted: readonly SeenGroup[],
): Promise<(GroupRow | undefined)[]> {
  const rows = await run(db, seenGroups, [
    texts(wanted.map(({ appId }) => appId)),
    texts(wanted.map(({ guid }) => guid)),
    texts(wanted.map(({ viewer }) => viewer ?? null)),
  ])
  return byPlace(wanted, rows)
}
