import { appSettingDefaults } from '@chorale/contract/apps'
import type { Message } from '@chorale/contract/conversations'
import { Failure } from '../../pipeline/failure.ts'
import type { Ctx } from '../../pipeline/handler.ts'
import {
  appendEntries,
  type ConversationKey,
  type Counterparts,
  deleteParticipants,
  type EntryRow,
  insertParticipants,
  loadCounterparts,
  shownEntry,
} from '../conversations/index.ts'

/** The group's history is its conversation: whatever happens to members is an entry there. */
export interface Action {
  readonly action: 'joined' | 'left' | 'added' | 'kicked' | 'banned' | 'unbanned' | 'scopeChanged'
  /** Whom it happened to, where that is not the one who did it. */
  readonly on?: string
  readonly oldScope?: string
  readonly newScope?: string
}

interface GroupKey extends ConversationKey {
  readonly guid: string
}

const systemUid = 'app_system'

export function actorUid({ actor }: Ctx): string {
  return actor?.uid ?? systemUid
}

/** Records what happened; nobody comes or goes with it. */
export async function record(ctx: Ctx, group: GroupKey, action: Action): Promise<void> {
  await append(ctx, group, [action], 0)
}

/** Records arrivals. The new members have seen everything up to their own arrival. */
export async function recordArrivals(
  ctx: Ctx,
  group: GroupKey,
  actions: readonly Action[],
  uids: readonly string[],
): Promise<Message[]> {
  if (uids.length === 0) return []
  const { guid } = group
  // Whatever can be read before is: from the append to the commit everyone else waits for the head.
  const named = actions.flatMap(({ on }) => (on === undefined ? [] : [on]))
  const seen = await loadCounterparts(
    ctx.db,
    { uids: [actorUid(ctx), ...named], guids: [guid] },
    { viewer: ctx.actor?.uid, withTags: true },
  )
  const ids = await append(ctx, group, actions, 1)
  const count = await insertParticipants(ctx.db, group, guid, uids)
  const limit = memberLimit(ctx)
  if (count > limit) throw new Failure('ERR_NO_VACANCY', { guid, limit })
  return ids.map((id, place) =>
    shownEntry(rowOf(ctx, id, actions[place]), { kind: 'group', guid }, grownTo(seen, count)),
  )
}

export async function recordDeparture(
  ctx: Ctx,
  group: GroupKey,
  action: Action,
  uid: string,
): Promise<void> {
  await append(ctx, group, [action], -1)
  await deleteParticipants(ctx.db, group, [uid])
}

/** The group was read before the arrivals; its count is known after them. */
function grownTo(seen: Counterparts, membersCount: number): Counterparts {
  return {
    ...seen,
    group(guid) {
      const group = seen.group(guid)
      return group && { ...group, membersCount }
    },
  }
}

function memberLimit({ app }: Ctx): number {
  const own = app.settings['groups.memberLimit']
  return typeof own === 'number' ? own : appSettingDefaults['groups.memberLimit']
}

async function append(
  ctx: Ctx,
  group: GroupKey,
  actions: readonly Action[],
  joins: number,
): Promise<number[]> {
  const sender = actorUid(ctx)
  // One setting decides whether an action becomes the last message and raises unread counts.
  const visible = ctx.app.settings['core.conversations.updateOnGroupActions'] !== false
  const placed = await appendEntries(
    ctx.db.db,
    actions.map((action) => ({
      bucket: group.bucket,
      key: group.key,
      appId: ctx.db.appId,
      sender,
      category: 'action',
      type: 'groupMember',
      data: JSON.stringify(action),
      counts: visible,
      shows: visible,
      joins,
    })),
    ctx.now,
  )
  return placed.map(({ id }) => id)
}

function rowOf(ctx: Ctx, id: number, action: Action | undefined): EntryRow {
  return {
    id,
    sender: actorUid(ctx),
    category: 'action',
    type: 'groupMember',
    muid: null,
    data: { ...action },
    extra: null,
    sentAt: ctx.now,
    updatedAt: ctx.now,
    editedAt: null,
    deletedAt: null,
  }
}
