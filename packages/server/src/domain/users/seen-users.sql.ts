import { getHeapStatistics } from 'node:v8'
import { texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { byPlace } from '../../database/loader.ts'
import { prepared, run } from '../../database/prepared.ts'
import { type AppCache, bytesOf, openAppCache } from '../../limits/app-cache.ts'
import { type UserRow, userColumnsText } from './users.sql.ts'

/** A user and who looks at them. */
export interface SeenUser {
  readonly appId: string
  readonly uid: string
  /** Of whom it is asked who has blocked whom; undefined: that is not asked. */
  readonly viewer: string | undefined
}

/** As the user was, with their presence, when they had this version. */
interface RememberedUser {
  readonly version: string
  readonly row: UserRow
  readonly bytes: number
}

/** Users who were read, by uid: one who has the same version is not read again. */
export type RememberedUsers = AppCache<RememberedUser>

export function openRememberedUsers(maxBytes: number): RememberedUsers {
  return openAppCache(maxBytes, ({ bytes }) => bytes)
}

/** Of the memory that this process may take, so much is for users who were read before. */
const shareForUsers = 1 / 32

/** Finds users, each read again only when they have changed. */
export function openSeenUsers(db: Db) {
  const remembered = openRememberedUsers(getHeapStatistics().heap_size_limit * shareForUsers)
  return (wanted: readonly SeenUser[]) => findSeenUsers(db, wanted, remembered)
}

type SeenRow = UserRow & { readonly place: number; readonly version: string | null }

// No row: the user has the version that is known.
const seenUsers = prepared<SeenRow>(
  'seen users',
  `select w.place, v.version, ${userColumnsText},
          case when w.viewer is not null then
            (select b.blocked_at from blocked_users b where b.app_id = w.app_id
               and b.uid = w.viewer and b.blocked_uid = u.uid) end as "blockedByMeAt",
          case when w.viewer is not null then
            (select b.blocked_at from blocked_users b where b.app_id = w.app_id
               and b.uid = u.uid and b.blocked_uid = w.viewer) end as "hasBlockedMeAt"
   from unnest($1::text[], $2::text[], $3::text[], $4::text[])
     with ordinality as w(app_id, uid, viewer, known, place)
   left join users u on u.app_id = w.app_id and u.uid = w.uid
   left join presence p on p.app_id = u.app_id and p.uid = u.uid
   cross join lateral (
     select u.row_version || ' ' || concat_ws(' ', p.online, p.last_active_at) as version) v
   where v.version is null or v.version is distinct from w.known`,
)

export async function findSeenUsers(
  db: Db,
  wanted: readonly SeenUser[],
  remembered?: RememberedUsers,
): Promise<(UserRow | undefined)[]> {
  const known = wanted.map(({ appId, uid, viewer }) =>
    viewer === undefined ? remembered?.get(appId, uid) : undefined,
  )
  const rows = await run(db, seenUsers, [
    texts(wanted.map(({ appId }) => appId)),
    texts(wanted.map(({ uid }) => uid)),
    texts(wanted.map(({ viewer }) => viewer ?? null)),
    texts(known.map((one) => one?.version ?? null)),
  ])
  const changed = byPlace(wanted, rows)
  return wanted.map(({ appId, uid, viewer }, nth) => {
    const row = changed[nth]
    if (!row) return known[nth]?.row
    const { version } = row
    if (version === null) return undefined
    if (viewer === undefined && remembered) {
      remembered.set(appId, uid, { version, row, bytes: bytesOf(row) })
    }
    return row
  })
}
