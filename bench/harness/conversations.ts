import { withQuery } from '../../packages/testing/src/data/many-entries.ts'
import type { Query } from '../../packages/testing/src/data/many-users.ts'

// Conversation c of an app, from 1 to 10,000, is that of `user-c` and the user after it (the last
// one's is the first); group g is conversation 10,000 + g. The bucket is the number modulo 64.

export const pairs = 10_000
export const groups = 1_000
export const membersPerGroup = 10

/** 285 letters: the data of a message is 300 bytes, give or take a few. */
export const text = 'x'.repeat(285)

const writers = 2
/** The nth member of group g, both from 0. */
const member = (g: string, n: string) =>
  `'user-' || 1 + (${g} * ${membersPerGroup} + ${n}) % ${pairs}`

/** Users, who all know two others, and groups of ten. Nobody has said anything yet. */
export async function loadConversations(query: Query, appId: string): Promise<void> {
  const inApp = (statement: string) => query(statement, [appId])
  await inApp(`
    insert into users (app_id, uid, name, sort_name, avatar, role, metadata, created_at)
    select $1, 'user-' || n, 'User ' || n, 'user ' || n, 'https://example.com/avatars/' || n,
           'default', jsonb_build_object('email', n || '@example.com'), 1700000000
    from generate_series(1, ${pairs}) as n`)
  await inApp(`
    insert into conversations (bucket, conversation_key, app_id, participants_count, created_at,
                               updated_at)
    select n % 64, n, $1, case when n <= ${pairs} then 2 else ${membersPerGroup} end, 1700000000,
           1700000000
    from generate_series(1, ${pairs + groups}) as n`)
  await query(`select setval('conversation_keys', ${pairs + groups})`)
  await inApp(`
    with pair as (
      select n, 'user-' || n as one, 'user-' || n % ${pairs} + 1 as two
      from generate_series(1, ${pairs}) as n),
    known as (
      insert into user_conversations (app_id, low_uid, high_uid, bucket, conversation_key)
      select $1, least(one collate "C", two), greatest(one collate "C", two), n % 64, n from pair)
    insert into participants (bucket, conversation_key, uid, app_id, with_uid)
    select n % 64, n, side.uid, $1, side.with_uid
    from pair, lateral (values (one, two), (two, one)) as side(uid, with_uid)`)
  await loadGroups(query, appId)
  await query(`vacuum (analyze) users, conversations, user_conversations, participants, groups,
               group_members`)
}

async function loadGroups(query: Query, appId: string): Promise<void> {
  const inApp = (statement: string) => query(statement, [appId])
  await inApp(`
    insert into groups (app_id, guid, name, sort_name, type, owner, bucket, conversation_key,
                        created_at)
    select $1, 'group-' || g, 'Group ' || g, 'group ' || g, 'public', ${member('g', '0')},
           (${pairs} + g) % 64, ${pairs} + g, 1700000000
    from generate_series(1, ${groups}) as g`)
  await query('analyze groups')
  await inApp(`
    with member as (
      select g, n, ${member('g', 'n')} as uid
      from generate_series(1, ${groups}) as g, generate_series(0, ${membersPerGroup - 1}) as n),
    inside as (
      insert into participants (bucket, conversation_key, uid, app_id, with_guid)
      select (${pairs} + g) % 64, ${pairs} + g, uid, $1, 'group-' || g from member)
    insert into group_members (app_id, guid, uid, scope, joined_at)
    select $1, 'group-' || g, uid, case n when 0 then 'admin' else 'participant' end, 1700000000
    from member`)
}

interface Filling {
  /** When the first was sent; each conversation says something every second. */
  readonly from?: number
  readonly texts?: readonly string[]
}

/**
 * About so many messages past the API, as many in each conversation, in the order in which time
 * would have brought them: neighbours in a conversation are far apart in the table.
 */
export async function fillEntries(
  databaseUrl: string,
  appId: string,
  rows: number,
  { from = 1_700_000_000, texts = [text] }: Filling = {},
): Promise<void> {
  const each = Math.ceil(rows / (pairs + groups))
  const shares = Array.from({ length: writers }, (_, share) => share)
  await Promise.all(
    shares.map((share) =>
      withQuery(databaseUrl, async (query) => {
        await query('set synchronous_commit = off')
        for (let seq = 1; seq <= each; seq++) {
          await query(oneEntryEach, [appId, seq, share, from, texts])
        }
      }),
    ),
  )
  await withQuery(databaseUrl, async (query) => {
    await query(
      `update conversations set head = n, counted = n, shown_seq = n, last_at = $3 + n
       from (select $2::bigint as n) as filled where app_id = $1`,
      [appId, each, from],
    )
    await query('vacuum (analyze) conversations, entries')
  })
}

const oneEntryEach = `
  insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts,
                       app_id, sender, category, type, muid, data)
  select bucket, conversation_key, n, nextval('entry_numbers') * 64 + bucket, $4 + n, n,
         true, app_id,
         case when conversation_key > ${pairs} then ${member(`(conversation_key - ${pairs})`, `n % ${membersPerGroup}`)}
              else 'user-' || 1 + (conversation_key - 1 + n % 2) % ${pairs} end,
         'message', 'text', gen_random_uuid()::text,
         concat('{"text":', to_json(($5::text[])[1 + (conversation_key + n * 7) % cardinality($5::text[])]), '}')::json
  from conversations, (select $2::bigint as n) as place
  where app_id = $1 and bucket % ${writers} = $3`
