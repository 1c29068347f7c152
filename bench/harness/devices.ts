import { bucketOf } from '../../packages/server/src/database/buckets.ts'
import { tokenPlace } from '../../packages/server/src/domain/apps/index.ts'
import { placeIn, sealedColumns } from '../../packages/server/src/vault/sealed-columns.ts'
import type { Vault } from '../../packages/server/src/vault/vault.ts'
import type { Query } from '../../packages/testing/src/data/many-users.ts'
import { groups, pairs } from './conversations.ts'

/** A group of the first so many users, behind the conversations of `loadConversations`. */
export async function loadLargeGroup(
  query: Query,
  appId: string,
  { guid, members, nth }: { readonly guid: string; readonly members: number; readonly nth: number },
): Promise<void> {
  const key = pairs + groups + nth
  await query(
    `insert into conversations (bucket, conversation_key, app_id, participants_count, created_at,
                                updated_at)
     values ($1, $2, $3, $4, 1700000000, 1700000000)`,
    [bucketOf(key), key, appId, members],
  )
  await query(`select setval('conversation_keys', ${key})`)
  await query(
    `insert into groups (app_id, guid, name, sort_name, type, owner, bucket, conversation_key,
                         created_at)
     values ($3, $4, $4, $4, 'public', 'user-1', $1, $2, 1700000000)`,
    [bucketOf(key), key, appId, guid],
  )
  await query(
    `with member as (select n, 'user-' || n as uid from generate_series(1, $5::int) as n),
     inside as (
       insert into participants (bucket, conversation_key, uid, app_id, with_guid)
       select $1::int, $2::bigint, uid, $3, $4 from member)
     insert into group_members (app_id, guid, uid, scope, joined_at)
     select $3, $4, uid, case n when 1 then 'admin' else 'participant' end, 1700000000 from member`,
    [bucketOf(key), key, appId, guid, members],
  )
  await query('vacuum (analyze) conversations, groups, participants, group_members')
}

/** An auth token for each of the first so many users, in their order. */
export async function loadTokens(
  query: Query,
  vault: Vault,
  appId: string,
  count: number,
): Promise<string[]> {
  const place = tokenPlace(appId)
  const tokens = Array.from({ length: count }, (_, n) => `user-${n + 1}_${crypto.randomUUID()}`)
  const hashes = tokens.map((token) => vault.hash(token, place))
  const sealed = tokens.map((token, n) =>
    vault.seal(token, placeIn(sealedColumns.authToken, appId, hashes[n] ?? '')),
  )
  await query(
    `insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at)
     select $1, t.hash, 'user-' || t.nth, t.sealed, 1700000000
     from unnest($2::bytea[], $3::bytea[]) with ordinality as t(hash, sealed, nth)`,
    [appId, hashes, sealed],
  )
  await query('vacuum (analyze) auth_tokens')
  return tokens
}
