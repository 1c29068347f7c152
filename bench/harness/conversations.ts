import { withQuery } from '../../packages/testing/src/data/many-entries.ts'
import type { Query } from '../../packages/testing/src/data/many-users.ts'

// Conversation c of an app, from 1, is that of `user-c` and the user after it (the last one's is the first); group g
// is the conversation behind them, g places on. Keys go on from app to app. The bucket is the key modulo 64.

interface Shape {
  readonly pairs: number
  readonly groups: number
}

export const pairs = 10_000
export const groups = 1_000
const usual: Shape = { pairs, groups }
export const membersPerGroup = 10

/** 285 letters: the data of a message is 300 bytes, give or take a few. */
export const text = 'x'.repeat(285)

const writers = 2
const apps = 'unnest($1::text[]) with ordinality as app(app_id, nth)'

/** Users, who all know two others, and groups of ten. Nobody has said anything yet. */
export async function loadConversations(
  query: Query,
  appIds: readonly string[],
  shape = usual,
): Promise<void> {
  const { pairs, groups } = shape
  const each = pairs + groups
  const inApps = (statement: string) => query(statement, [appIds])
  const key = `((app.nth - 1) * ${each} + n)`
  await inApps(`
    insert into users (app_id, uid, name, sort_name, avatar, role, metadata, created_at)
    select app_id, 'user-' || n, 'User ' || n, 'user ' || n, 'https://example.com/avatars/' || n,
           'default', jsonb_build_object('email', n || '@example.com'), 1700000000
    from ${apps}, generate_series(1, ${pairs}) as n`)
  await inApps(`
    insert into conversations (bucket, conversation_key, app_id, participants_count, created_at,
                               updated_at)
    select ${key} % 64, ${key}, app_id, case when n <= ${pairs} then 2 else ${membersPerGroup} end,
           1700000000, 1700000000
    from ${apps}, generate_series(1, ${each}) as n`)
  await query(`select setval('conversation_keys', ${appIds.length * each})`)
  await inApps(`
    with pair as (
      select app_id, ${key} as key, 'user-' || n as one, 'user-' || n % ${pairs} + 1 as two
      from ${apps}, generate_series(1, ${pairs}) as n),
    known as (
      insert into user_conversations (app_id, low_uid, high_uid, bucket, conversation_key)
      select app_id, least(one collate "C", two), greatest(one collate "C", two), key % 64, key
      from pair)
    insert into participants (bucket, conversation_key, uid, app_id, with_uid)
    select key % 64, key, side.uid, app_id, side.with_uid
    from pair, lateral (values (one, two), (two, one)) as side(uid, with_uid)`)
  if (groups > 0) await loadGroups(query, appIds, shape)
  await query(`vacuum (analyze) users, conversations, user_conversations, participants, groups,
               group_members`)
}

/** The nth member of group g, both from 0. */
function member(g: string, n: string, pairs: number): string {
  return `'user-' || 1 + (${g} * ${membersPerGroup} + ${n}) % ${pairs}`
}

async function loadGroups(
  query: Query,
  appIds: readonly string[],
  { pairs, groups }: Shape,
): Promise<void> {
  const inApps = (statement: string) => query(statement, [appIds])
  const key = `((app.nth - 1) * ${pairs + groups} + ${pairs} + g)`
  await inApps(`
    insert into groups (app_id, guid, name, sort_name, type, owner, bucket, conversation_key,
                        created_at)
    select app_id, 'group-' || g, 'Group ' || g, 'group ' || g, 'public', ${member('g', '0', pairs)},
           ${key} % 64, ${key}, 1700000000
    from ${apps}, generate_series(1, ${groups}) as g`)
  await query('analyze groups')
  await inApps(`
    with member as (
      select app_id, ${key} as key, g, n, ${member('g', 'n', pairs)} as uid
      from ${apps}, generate_series(1, ${groups}) as g,
           generate_series(0, ${membersPerGroup - 1}) as n),
    inside as (
      insert into participants (bucket, conversation_key, uid, app_id, with_guid)
      select key % 64, key, uid, app_id, 'group-' || g from member)
    insert into group_members (app_id, guid, uid, scope, joined_at)
    select app_id, 'group-' || g, uid, case n when 0 then 'admin' else 'participant' end, 1700000000
    from member`)
}

interface Filling {
  /** When the first was sent; each conversation says something every second. */
  readonly from?: number
  readonly texts?: readonly string[]
  /** As `loadConversations` was told. */
  readonly shape?: Shape
}

/**
 * About so many messages past the API, as many in each conversation, in the order in which time
 * would have brought them: neighbours in a conversation are far apart in the table.
 */
export async function fillEntries(
  databaseUrl: string,
  appIds: readonly string[],
  rows: number,
  { from = 1_700_000_000, texts = [text], shape = usual }: Filling = {},
): Promise<void> {
  const each = Math.ceil(rows / (appIds.length * (shape.pairs + shape.groups)))
  const statement = oneEntryEach(shape)
  const shares = Array.from({ length: writers }, (_, share) => share)
  await Promise.all(
    shares.map((share) =>
      withQuery(databaseUrl, async (query) => {
        await query('set synchronous_commit = off')
        for (let seq = 1; seq <= each; seq++) {
          await query(statement, [appIds, seq, share, from, texts])
        }
      }),
    ),
  )
  await withQuery(databaseUrl, async (query) => {
    await query(
      `update conversations set head = n, counted = n, shown_seq = n, last_at = $3 + n
       from (select $2::bigint as n) as filled where app_id = any($1)`,
      [appIds, each, from],
    )
    await query('vacuum (analyze) conversations, entries')
  })
}

function oneEntryEach({ pairs, groups }: Shape): string {
  return `
  insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts,
                       app_id, sender, category, type, muid, data)
  select bucket, conversation_key, n, nextval('entry_numbers') * 64 + bucket, $4 + n, n,
         true, app_id,
         case when c > ${pairs} then ${member(`(c - ${pairs})`, `n % ${membersPerGroup}`, pairs)}
              else 'user-' || 1 + (c - 1 + n % 2) % ${pairs} end,
         'message', 'text', gen_random_uuid()::text,
         concat('{"text":', to_json(($5::text[])[1 + (conversation_key + n * 7) % cardinality($5::text[])]), '}')::json
  from conversations, (select $2::bigint as n) as place,
       lateral (select 1 + (conversation_key - 1) % ${pairs + groups} as c) as own
  where app_id = any($1) and bucket % ${writers} = $3`
}
