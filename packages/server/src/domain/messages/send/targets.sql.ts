import type { GroupScope, GroupType, ScopePermissions } from '@chorale/contract/groups'
import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { byPlace, openLoader } from '../../../database/loader.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import { type UserRow, userColumnsText } from '../../users/index.ts'

/** Looks up receivers: sends of the same moment ask in one statement. */
export interface Targets {
  /** Undefined: there is no such user. */
  user(question: UserQuestion): Promise<FoundUser | undefined>
  group(question: GroupQuestion): Promise<GroupTarget | undefined>
}

const atOnce = { concurrency: 1, maxPerBatch: 200 }

export function openTargets(db: Db): Targets {
  const users = openLoader({
    ...atOnce,
    fetch: (questions: readonly UserQuestion[]) => findUserTargets(db, questions),
    nameOf: ({ appId, sender, receiver }) => `${appId} ${sender} ${receiver}`,
  })
  const groups = openLoader({
    ...atOnce,
    fetch: (questions: readonly GroupQuestion[]) => findGroupTargets(db, questions),
    nameOf: ({ appId, sender, guid }) => `${appId} ${sender} ${guid}`,
  })
  return { user: users.load, group: groups.load }
}

/** What a send must know of a user it goes to: one row per question, all questions at once. */
export interface UserTarget {
  readonly role: string
  /** The sender has blocked the receiver; the receiver has blocked the sender. */
  readonly blockedBySender: boolean
  readonly blockedByReceiver: boolean
  readonly friends: boolean
}

interface FoundUser {
  readonly target: UserTarget
  /** Undefined: the two have never written. */
  readonly conversation: ConversationKey | undefined
  /** Sender and receiver as the answer shows them; a sender who is no user is missing. */
  readonly both: readonly UserRow[]
}

interface UserQuestion {
  readonly appId: string
  readonly sender: string
  readonly receiver: string
}

interface UserTargetRow extends UserTarget, UserRow {
  readonly place: number
  readonly receives: boolean
  readonly bucket: number | null
  readonly key: number | null
}

// A row for each of the two; what is between them stands in the receiver's.
const userTargets = prepared<UserTargetRow>(
  'user targets',
  `select w.place, ${userColumnsText}, null as "blockedByMeAt", null as "hasBlockedMeAt",
          side.receives, c.bucket, c.conversation_key as key,
          side.receives and exists (
            select from blocked_users b where b.app_id = w.app_id
              and b.uid = w.sender and b.blocked_uid = w.receiver) as "blockedBySender",
          side.receives and exists (
            select from blocked_users b where b.app_id = w.app_id
              and b.uid = w.receiver and b.blocked_uid = w.sender) as "blockedByReceiver",
          side.receives and exists (
            select from friends f where f.app_id = w.app_id
              and f.uid = w.sender and f.friend_uid = w.receiver) as friends
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality
     as w(app_id, sender, receiver, place)
   cross join lateral (values (w.sender, false), (w.receiver, true)) as side(uid, receives)
   join users u on u.app_id = w.app_id and u.uid = side.uid
   left join presence p on p.app_id = u.app_id and p.uid = u.uid
   left join user_conversations c on side.receives and c.app_id = w.app_id
     and c.low_uid = least(w.sender collate "C", w.receiver)
     and c.high_uid = greatest(w.sender collate "C", w.receiver)`,
)

async function findUserTargets(
  db: Db,
  questions: readonly UserQuestion[],
): Promise<(FoundUser | undefined)[]> {
  const rows = await run(db, userTargets, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ sender }) => sender)),
    texts(questions.map(({ receiver }) => receiver)),
  ])
  const both = questions.map((): UserRow[] => [])
  const targets: (FoundUser & { place: number })[] = []
  for (const row of rows) {
    const { place, receives, bucket, key, blockedBySender, blockedByReceiver, friends, ...user } =
      row
    const sides = both[place - 1] ?? []
    sides.push(user)
    if (!receives || user.deactivatedAt !== null) continue
    const target = { role: user.role, blockedBySender, blockedByReceiver, friends }
    const conversation = bucket === null || key === null ? undefined : { bucket, key }
    targets.push({ place, target, conversation, both: sides })
  }
  return byPlace(questions, targets)
}

/** Undefined: there is no such user any more. */
export async function findUserTarget(
  { appId, db }: AppDb,
  sender: string,
  receiver: string,
): Promise<UserTarget | undefined> {
  return (await findUserTargets(db, [{ appId, sender, receiver }]))[0]?.target
}

/** What a send must know of a group it goes to. */
export interface GroupTarget {
  readonly bucket: number
  readonly key: number
  readonly type: GroupType
  /** Null: the sender is not a member. */
  readonly scope: GroupScope | null
  readonly banned: boolean
  readonly permissions: ScopePermissions
  readonly version: number
}

interface GroupQuestion {
  readonly appId: string
  readonly sender: string
  readonly guid: string
}

const groupTargets = prepared<GroupTarget & { place: number }>(
  'group targets',
  `select w.place, g.bucket, g.conversation_key as key, g.type, m.scope, g.row_version as version,
          exists (select from group_bans b where b.app_id = w.app_id and b.guid = w.guid
                  and b.uid = w.sender) as banned,
          coalesce((select s.permissions from group_scope_permissions s
                    where s.app_id = w.app_id and s.guid = w.guid and s.scope = m.scope),
                   '{}') as permissions
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality as w(app_id, sender, guid, place)
   join groups g on g.app_id = w.app_id and g.guid = w.guid
   left join group_members m on m.app_id = w.app_id and m.guid = w.guid and m.uid = w.sender`,
)

async function findGroupTargets(
  db: Db,
  questions: readonly GroupQuestion[],
): Promise<(GroupTarget | undefined)[]> {
  const rows = await run(db, groupTargets, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ sender }) => sender)),
    texts(questions.map(({ guid }) => guid)),
  ])
  return byPlace(questions, rows)
}

/** Undefined: the group is gone. */
export async function findGroupTarget(
  { appId, db }: AppDb,
  sender: string,
  guid: string,
): Promise<GroupTarget | undefined> {
  return (await findGroupTargets(db, [{ appId, sender, guid }]))[0]
}

/** Whether anybody is in the group, beside the caller, whom they may not call. */
export async function hasMembersBeside(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
  callable: { readonly friends: boolean; readonly scopes: readonly string[] | undefined },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from group_members m
      where m.app_id = ${appId} and m.guid = ${guid} and m.uid <> ${uid}
        and (not m.scope = any(${callable.scopes ?? ['admin', 'moderator', 'participant']})
          or (${callable.friends} and not exists (
            select from friends f
            where f.app_id = m.app_id and f.uid = ${uid} and f.friend_uid = m.uid)))) as found
  `.execute(db)
  return rows[0]?.found ?? false
}
