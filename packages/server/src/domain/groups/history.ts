import type { Message } from '@chorale/contract/conversations'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { limitOf } from '../apps/index.ts'
import { freshRow } from '../log/entries/index.ts'
import { appendWithin, type Placed } from '../log/index.ts'
import { deleteParticipants, insertParticipants } from '../log/participants/index.ts'
import { profilesIn, serialiseFresh } from '../views/index.ts'

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

/** As much of a call as the history needs: a listener has no more. */
export type Recording = AppTransaction & {
  readonly actor?: ReadCtx['actor']
  readonly app: Pick<ReadCtx['app'], 'settings'>
  /** How many such things happen in this call, where they are recorded one by one. */
  readonly together?: number
}

export function actorUid({ actor }: Pick<Recording, 'actor'>): string {
  return actor?.uid ?? systemUid
}

/** Records what happened; nobody comes or goes with it. */
export async function record(ctx: Recording, group: GroupKey, action: Action): Promise<void> {
  await append(ctx, group, [action], 0)
}

/** Records arrivals. The new members have seen everything up to their own arrival. */
export async function recordArrivals(
  ctx: WriteCtx,
  group: GroupKey,
  actions: readonly Action[],
  uids: readonly string[],
): Promise<Message[]> {
  if (uids.length === 0) return []
  const { guid } = group
  // Whatever can be read before is: from the append to the commit everyone else waits for the head.
  const named = actions.flatMap(({ on }) => (on === undefined ? [] : [on]))
  const viewer = ctx.actor?.uid
  const reading = profilesIn(ctx.db)
  const wanted = { uids: [actorUid(ctx), ...named], guids: [guid], blocks: false }
  const known = await reading.find(wanted, viewer)
  const placed = await append(ctx, group, actions, 1)
  const sees = ctx.app.settings['groups.newMembersSeeHistory'] !== false
  const hiddenTo = sees ? 0 : Math.max(0, (placed[0]?.seq ?? 1) - 1)
  const count = await insertParticipants(ctx.db, group, guid, uids, hiddenTo)
  const limit = limitOf(ctx.app, 'groups.memberLimit')
  if (count > limit) throw new Failure('ERR_NO_VACANCY', { guid, limit })
  // The group was read before the arrivals; its count is known after them.
  const grown = known.groups.map((row) => ({ ...row, membersCount: count }))
  const people = { ...reading, find: async () => ({ users: known.users, groups: grown }) }
  const entries = placed.map((place, nth) => ({
    row: freshRow(group, place, {
      sender: actorUid(ctx),
      category: 'action',
      type: 'groupMember',
      data: JSON.stringify(actions[nth] ?? {}),
    }),
    receiver: { kind: 'group', guid } as const,
  }))
  const texts = await serialiseFresh(ctx.db, people, entries, { viewer })
  return texts.map((text): Message => JSON.parse(text))
}

export async function recordDeparture(
  ctx: Recording,
  group: GroupKey,
  action: Action,
  uid: string,
): Promise<void> {
  await append(ctx, group, [action], -1)
  await deleteParticipants(ctx.db, group, [uid])
}

async function append(
  ctx: Recording,
  group: GroupKey,
  actions: readonly Action[],
  joins: number,
): Promise<Placed[]> {
  const sender = actorUid(ctx)
  // One setting decides whether an action becomes the last message and raises unread counts.
  const visible = ctx.app.settings['core.conversations.updateOnGroupActions'] !== false
  const together = Math.max(actions.length, ctx.together ?? 1)
  return appendWithin(
    ctx,
    actions.map((action) => ({
      bucket: group.bucket,
      key: group.key,
      appId: ctx.db.appId,
      sender,
      category: 'action',
      type: 'groupMember',
      data: JSON.stringify(action),
      ...(together > 1 && { extra: JSON.stringify({ together }) }),
      counts: visible,
      shows: visible,
      joins,
    })),
  )
}
