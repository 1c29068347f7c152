import pg from 'pg'
import type { Query } from './many-users.ts'

/** On a connection without the time limit of the service's own. */
export async function withQuery<T>(
  databaseUrl: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await work((text, values) => client.query(text, values && [...values]))
  } finally {
    await client.end()
  }
}

export interface ManyGroups {
  /** Of guids and uids: `tea-1`, `tea-2`, ... */
  readonly prefix: string
  readonly groups: number
  /** In every group the same: `${prefix}-1`, `${prefix}-2`, ... The first is the owner. */
  readonly members: number
  /** In every group, by the members in turn. */
  readonly entries: number
}

/** Groups with members and messages past the API, about 20,000 entries in a second. */
export async function loadGroups(query: Query, appId: string, wanted: ManyGroups): Promise<void> {
  const { prefix, groups, members, entries } = wanted
  const guids = `${prefix}-%`
  await query(
    `insert into groups (app_id, guid, name, sort_name, type, owner, bucket, conversation_key,
                         created_at)
     select $1, $2 || n, $2 || n, $2 || n, 'public', $2 || 1, hashtextextended($1, key) & 63, key,
            1700000000
     from (select n, nextval('conversation_keys') as key from generate_series(1, $3::int) as n) as made`,
    [appId, `${prefix}-`, groups],
  )
  // Or else each member's foreign key may be looked for from end to end.
  await query('analyze groups')
  await query(
    `insert into conversations (bucket, conversation_key, app_id, head, counted, participants_count,
                                shown_seq, created_at, updated_at)
     select bucket, conversation_key, app_id, $3::bigint, $3::bigint, $4, nullif($3::bigint, 0), created_at,
            1700000000 + conversation_key * 7919 % 1000003
     from groups where app_id = $1 and guid like $2`,
    [appId, guids, entries, members],
  )
  await query(
    `insert into group_members (app_id, guid, uid, scope, joined_at)
     select app_id, guid, $3 || n, case n when 1 then 'admin' else 'participant' end, created_at
     from groups, generate_series(1, $4::int) as n where app_id = $1 and guid like $2`,
    [appId, guids, `${prefix}-`, members],
  )
  await query(
    `insert into participants (bucket, conversation_key, uid, app_id, with_guid, own)
     select bucket, conversation_key, $3 || n, app_id, guid,
            ($5::int / $4::int) + case when n <= $5::int % $4::int then 1 else 0 end
     from groups, generate_series(1, $4::int) as n where app_id = $1 and guid like $2`,
    [appId, guids, `${prefix}-`, members, entries],
  )
  await query(
    `insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts,
                          app_id, sender, category, type, muid, data)
     select bucket, conversation_key, seq, nextval('entry_numbers') * 64 + bucket, 1700000000, seq,
            true, app_id, $3 || 1 + (seq - 1) % $4::int, 'message', 'text',
            'muid-' || seq, json_build_object('text', 'Message number ' || seq)
     from (select g.*, seq from groups g, generate_series(1, $5::int) as seq
           where g.app_id = $1 and g.guid like $2 order by g.conversation_key, seq) as placed`,
    [appId, guids, `${prefix}-`, members, entries],
  )
}

export async function settleEntries(query: Query): Promise<void> {
  await query('vacuum (analyze) groups, group_members, conversations, participants, entries')
}
