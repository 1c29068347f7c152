import { loadGroups } from '../../packages/testing/src/data/many-entries.ts'
import type { Query } from '../../packages/testing/src/data/many-users.ts'

/** A group `crowd-1` of users `crowd-1`, `crowd-2`, ..., none of whom has ever been seen. */
export async function loadCrowd(query: Query, appId: string, members: number): Promise<void> {
  await query(
    `insert into users (app_id, uid, name, sort_name, role, created_at)
     select $1, 'crowd-' || n, 'User ' || n, 'user ' || n, 'default', 1700000000
     from generate_series(1, $2::int) as n`,
    [appId, members],
  )
  await loadGroups(query, appId, { prefix: 'crowd', groups: 1, members, entries: 0 })
  await query('vacuum (analyze) users, groups, group_members, conversations, participants')
}

/** A session with a phone for each of them, from the second on: the first does the talking. */
export async function loadPhones(
  query: Query,
  appId: string,
  tokens: readonly string[],
): Promise<void> {
  await query(
    `with phone as (
       select 'crowd-' || nth + 1 as uid, token, sha256(convert_to(token, 'utf8')) as hash
       from unnest($2::text[]) with ordinality as t(token, nth)),
     session as (
       insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at)
       select $1, hash, uid, '', 1700000000 from phone)
     insert into push_tokens (app_id, token_hash, type, uid, kind, platform, push_token,
                              push_token_hash, created_at, updated_at)
     select $1, hash, 'chat', uid, 'fcm', 'fcm_android', token, hash, 1700000000, 1700000000
     from phone`,
    [appId, tokens],
  )
  await query('vacuum (analyze) auth_tokens, push_tokens')
}
