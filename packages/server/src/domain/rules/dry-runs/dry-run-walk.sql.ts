import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { bigints } from '../../../database/arrays.ts'
import { bucketOfColumn } from '../../../database/buckets.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { Parties } from '../filters.ts'
import type { Spoken } from '../subjects.ts'

/** An entry as it is now. `isSaid`: it says something, still, and was sent in the time in question. */
export interface WalkedEntry {
  readonly id: number
  readonly isSaid: boolean
  readonly spoken: Spoken
}

interface WalkedRow extends Spoken {
  readonly id: number
  readonly isSaid: boolean
  readonly text: string | null
}

const walked = (columns: string) => `
  select e.id, e.category not in ('action', 'call') and e.sent_at >= $2
               and (e.deleted_at is null and not e.erased or coalesce(e.verdict ? 'sealed', false))
                 as "isSaid", ${columns}
  from entries e where e.app_id = $1 and e.id >= $3 and e.id < $4 order by e.id desc limit $5`

/** What was withheld was said all the same: a rule is also measured by what another has caught. */
const data = "coalesce((e.verdict #> '{sealed,data}')::json, e.data)"
const walkWhole = prepared<WalkedRow>('dry run walk', walked(`e.category, e.type, ${data} as data`))
/** Half the way is the transport: most rules look at texts and need no more. */
const walkTexts = prepared<WalkedRow>('dry run walk, texts', walked(`${data} ->> 'text' as text`))

export interface Walk {
  readonly since: number
  /** Ids from here and below there. */
  readonly from: number
  readonly below: number
  readonly most: number
  readonly textsOnly: boolean
}

/** Of what an app has said, newest first. */
export async function walkEntries(
  { appId, db }: AppDb,
  { since, from, below, most, textsOnly }: Walk,
): Promise<WalkedEntry[]> {
  const statement = textsOnly ? walkTexts : walkWhole
  const rows = await run(db, statement, [appId, since, from, below, most])
  return rows.map(({ id, isSaid, text, ...whole }) => ({
    id,
    isSaid,
    spoken: textsOnly ? { category: 'message', type: 'text', data: { text } } : whole,
  }))
}

export async function newestIdOf({ appId, db }: AppDb): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from entries where app_id = ${appId} order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** When the first entry from this id on was sent. */
export async function sentAtFrom({ appId, db }: AppDb, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ sentAt: number }>`
    select sent_at as "sentAt" from entries
    where app_id = ${appId} and id >= ${id} order by id limit 1`.execute(db)
  return rows[0]?.sentAt
}

const party = (entity: string, t: string, id: string, kind: string) =>
  `jsonb_build_object('entity', '${entity}', 'id', ${id}, 'name', coalesce(${t}.name, ''),
     'kind', coalesce(${t}.${kind}, ''), 'tags', coalesce(${t}.tags, '{}'),
     'createdAt', coalesce(${t}.created_at, 0))`

/** An entry that was caught, and between whom it is, as they are now. */
export interface Scene extends Parties {
  readonly id: number
  readonly sentAt: number
}

const scenes = prepared<Scene>(
  'dry run scenes',
  `select e.id, e.sent_at as "sentAt", ${party('user', 's', 'e.sender', 'role')} as sender,
          case when g.guid is null then ${party('user', 'o', 'p.uid', 'role')}
               else ${party('group', 'g', 'g.guid', 'type')} end as receiver
   from unnest($2::bigint[]) as w(id)
   cross join lateral (
     select * from entries e
     where e.app_id = $1 and e.id = w.id and e.bucket = ${bucketOfColumn('w.id')}
     union all
     -- An id from elsewhere says nothing of its bucket. Not reached where the first part has a row.
     select * from entries e where e.app_id = $1 and e.id = w.id limit 1) e
   left join lateral (
     select * from groups g
     where g.bucket = e.bucket and g.conversation_key = e.conversation_key
       and g.app_id = $1 limit 1) g on true
   left join lateral (
     select case p.uid when e.sender then p.with_uid else p.uid end as uid from participants p
     where g.guid is null and p.bucket = e.bucket and p.conversation_key = e.conversation_key
       and p.app_id = $1 limit 1) p on true
   left join lateral (
     select * from users s where s.app_id = $1 and s.uid = e.sender limit 1) s on true
   left join lateral (
     select * from users o where o.app_id = $1 and o.uid = p.uid limit 1) o on true
   where g.guid is not null or p.uid is not null`,
)

/** By the ids of entries; without those whose conversation is gone. */
export async function findScenes(
  { appId, db }: AppDb,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Scene>> {
  const rows = ids.length > 0 ? await run(db, scenes, [appId, bigints(ids)]) : []
  return new Map(rows.map((row) => [row.id, row]))
}
