import type { GroupScope, ScopePermissions } from '@chorale/contract/groups'
import type { AppDb, Db } from '../../database/app-db.ts'
import { texts } from '../../database/arrays.ts'
import { hot, run } from '../../database/hot.ts'
import { byName } from '../../database/loader.ts'

/** What a send must know of a user it goes to: one row per question, all questions at once. */
export interface UserTarget {
  readonly role: string
  readonly bucket: number | null
  readonly key: number | null
  /** The sender has blocked the receiver; the receiver has blocked the sender. */
  readonly blockedBySender: boolean
  readonly blockedByReceiver: boolean
  readonly friends: boolean
}

export interface UserQuestion {
  readonly appId: string
  readonly sender: string
  readonly receiver: string
}

const userTargets = hot<UserTarget & { place: number }>(
  'user targets',
  `select w.place, u.role, c.bucket, c.conversation_key as key,
          exists (select from blocked_users b where b.app_id = w.app_id
                  and b.uid = w.sender and b.blocked_uid = w.receiver) as "blockedBySender",
          exists (select from blocked_users b where b.app_id = w.app_id
                  and b.uid = w.receiver and b.blocked_uid = w.sender) as "blockedByReceiver",
          exists (select from friends f where f.app_id = w.app_id
                  and f.uid = w.sender and f.friend_uid = w.receiver) as friends
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality
     as w(app_id, sender, receiver, place)
   join users u on u.app_id = w.app_id and u.uid = w.receiver and u.deactivated_at is null
   left join user_conversations c on c.app_id = w.app_id
     and c.low_uid = least(w.sender collate "C", w.receiver)
     and c.high_uid = greatest(w.sender collate "C", w.receiver)`,
)

export async function findUserTargets(
  db: Db,
  questions: readonly UserQuestion[],
): Promise<Map<string, UserTarget>> {
  const rows = await run(db, userTargets, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ sender }) => sender)),
    texts(questions.map(({ receiver }) => receiver)),
  ])
  return byName(questions, rows, userQuestionName)
}

/** Undefined: there is no such user any more. */
export async function findUserTarget(
  { appId, db }: AppDb,
  sender: string,
  receiver: string,
): Promise<UserTarget | undefined> {
  const question = { appId, sender, receiver }
  return (await findUserTargets(db, [question])).get(userQuestionName(question))
}

export function userQuestionName({ appId, sender, receiver }: UserQuestion): string {
  return `${appId} ${sender} ${receiver}`
}

/** What a send must know of a group it goes to. */
export interface GroupTarget {
  readonly bucket: number
  readonly key: number
  /** Null: the sender is not a member. */
  readonly scope: GroupScope | null
  readonly banned: boolean
  readonly permissions: ScopePermissions
}

export interface GroupQuestion {
  readonly appId: string
  readonly sender: string
  readonly guid: string
}

const groupTargets = hot<GroupTarget & { place: number }>(
  'group targets',
  `select w.place, g.bucket, g.conversation_key as key, m.scope,
          exists (select from group_bans b where b.app_id = w.app_id and b.guid = w.guid
                  and b.uid = w.sender) as banned,
          coalesce((select s.permissions from group_scope_permissions s
                    where s.app_id = w.app_id and s.guid = w.guid and s.scope = m.scope),
                   '{}') as permissions
   from unnest($1::text[], $2::text[], $3::text[]) with ordinality as w(app_id, sender, guid, place)
   join groups g on g.app_id = w.app_id and g.guid = w.guid
   left join group_members m on m.app_id = w.app_id and m.guid = w.guid and m.uid = w.sender`,
)

export async function findGroupTargets(
  db: Db,
  questions: readonly GroupQuestion[],
): Promise<Map<string, GroupTarget>> {
  const rows = await run(db, groupTargets, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ sender }) => sender)),
    texts(questions.map(({ guid }) => guid)),
  ])
  return byName(questions, rows, groupQuestionName)
}

export function groupQuestionName({ appId, sender, guid }: GroupQuestion): string {
  return `${appId} ${sender} ${guid}`
}
