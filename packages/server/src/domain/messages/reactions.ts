import type { Reaction, reactions } from '@chorale/contract/messages'
import type { AppDb } from '../../database/app-db.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import type { RawJson } from '../../pipeline/raw-json.ts'
import { actorOf } from '../conversations/index.ts'
import { type Entry, type EntryRow, updateExtra } from '../log/entries/index.ts'
import type { RuleCheck } from '../rules/index.ts'
import { loadCounterparts, profilesIn } from '../views/index.ts'
import { type Place, placeOf, windowMeta } from './history/windows.ts'
import {
  deleteReaction,
  deleteReactionsBy,
  insertReaction,
  listReactions,
  type ReactionFilter,
  type ReactionRow,
} from './reactions.sql.ts'
import { requireMayTouch } from './send/delivery.ts'
import { findMembership } from './stored/access.sql.ts'
import { accessMessage, requireStanding } from './stored/access.ts'
import { answerWith } from './stored/show-message.ts'
import { touched } from './stored/touched.ts'

const maxKinds = 25

type Adding = 'addReaction' | 'addReactionInBody'

export const reactionHandlers = (checkRules: RuleCheck): Handlers<typeof reactions, Adding> => ({
  ...unchecked,

  addReaction: {
    prepare: ({ params: { id, reaction } }, before) => checked(checkRules, before, id, reaction),
  },

  addReactionInBody: {
    prepare: ({ params: { id }, body: { reaction } }, before) =>
      checked(checkRules, before, id, reaction),
  },
})

const unchecked: Omit<Handlers<typeof reactions>, Adding> = {
  async listReactions({ params: { id }, query }, ctx) {
    return list(ctx, id, undefined, placeOf(query, 'append'))
  },

  async listReactionsOfKind({ params: { id, reaction }, query }, ctx) {
    return list(ctx, id, reaction, placeOf(query, 'append'))
  },

  async removeReaction({ params: { id, reaction } }, ctx) {
    const { uid } = actorOf(ctx)
    const entry = await accessMessage(ctx, id, 'change')
    requireStanding(entry)
    const gone = await deleteReaction(ctx.db, entry.row, { uid, reaction })
    if (!gone) return answerWith(ctx, entry)
    const row = await count(ctx, entry.row, reaction, -1)
    await ctx.outbox.append('message.reactionRemoved', reacted(entry, gone))
    return answerWith(ctx, { ...entry, row })
  },
}

/** A reaction is words: what rules would block is not put under a message. */
async function checked<T>(checkRules: RuleCheck, before: ReadCtx, id: string, reaction: string) {
  if (before.app.moderationVersion > 0) {
    const { uid } = actorOf(before)
    const { receiver } = await accessMessage(before, id, 'read')
    const said = { category: 'reaction', type: 'text', data: { text: reaction } }
    const utterance = { ...said, sender: uid, receiver, from: profilesIn(before.db) }
    const result = await checkRules(before, utterance)
    if (result?.moderation.status === 'disapproved') throw new Failure('ERR_BLOCKED_BY_RULE')
  }
  return (ctx: WriteCtx) => add<T>(ctx, id, reaction)
}

async function add<T>(ctx: WriteCtx, id: string, reaction: string): Promise<RawJson<T>> {
  const { uid } = actorOf(ctx)
  const entry = await accessMessage(ctx, id, 'change')
  requireStanding(entry)
  await requireMayTouch(ctx, 'reaction', entry)
  const kinds = Object.keys(entry.row.extra?.reactions ?? {})
  if (kinds.length >= maxKinds && !kinds.includes(reaction)) {
    throw badRequest('reaction', `A message has at most ${maxKinds} different reactions.`)
  }
  const made = await insertReaction(ctx.db, entry.row, { uid, reaction }, ctx.now)
  if (!made) return answerWith(ctx, entry)
  const row = await count(ctx, entry.row, reaction, 1)
  await ctx.outbox.append('message.reactionAdded', reacted(entry, made))
  return answerWith(ctx, { ...entry, row })
}

function reacted({ row }: Entry, { id, uid, reaction, reactedAt }: ReactionRow) {
  return { ...touched(row, uid), reaction, reactionId: id, reactedAt }
}

/** How many there are of each stands beside the message; none left, no line. */
async function count(
  ctx: Pick<WriteCtx, 'db' | 'now'>,
  row: EntryRow,
  reaction: string,
  by: 1 | -1,
): Promise<EntryRow> {
  const { reactions: before = {}, ...beside } = row.extra ?? {}
  const counts = new Map(Object.entries(before))
  const now = (counts.get(reaction) ?? 0) + by
  if (now > 0) counts.set(reaction, now)
  else counts.delete(reaction)
  const extra = { ...beside, ...(counts.size > 0 && { reactions: Object.fromEntries(counts) }) }
  await updateExtra(ctx.db, row, extra, ctx.now)
  return { ...row, extra, updatedAt: ctx.now }
}

/** Without a word to anybody. What stands beside the message afterwards, and how many there were. */
export async function withdrawReactions(
  ctx: Pick<WriteCtx, 'db' | 'now'>,
  row: EntryRow,
  uid: string,
) {
  const kinds = await deleteReactionsBy(ctx.db, row, uid)
  let left = row
  for (const kind of kinds) left = await count(ctx, left, kind, -1)
  return { extra: left.extra, withdrawn: kinds.length }
}

/** In the order in which they came. */
async function list(ctx: ReadCtx, id: string, reaction: string | undefined, place: Place) {
  const entry = await accessMessage(ctx, id, 'read')
  const filter = { reaction, by: await listingRights(ctx, entry) }
  const rows = await listReactions(ctx.db, entry.row, filter, place)
  const last = rows.at(-1)
  const oldestFirst = place.affix === 'prepend' ? rows.toReversed() : rows
  return {
    data: await shownReactions(ctx.db, id, oldestFirst, ctx.actor?.uid),
    meta: windowMeta(place, rows.length, last && { id: last.id }),
  }
}

/** Undefined: everybody's; refused where that is denied. */
async function listingRights(
  { db, actor }: ReadCtx,
  { receiver }: Entry,
): Promise<ReactionFilter['by']> {
  if (!actor || receiver.kind !== 'group') return undefined
  const { guid } = receiver
  const permissions = (await findMembership(db, guid, actor.uid))?.permissions ?? {}
  if (permissions.listReactions === 'deny') {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'listReactions in this group' })
  }
  const scopes = [permissions['listReactions.allowedScopes'] ?? []].flat()
  return scopes.length > 0 ? { guid, scopes } : undefined
}

export async function shownReactions(
  db: AppDb,
  messageId: string,
  rows: readonly ReactionRow[],
  viewer: string | undefined,
): Promise<Reaction[]> {
  const wanted = { uids: rows.map(({ uid }) => uid), guids: [], blocks: false }
  const as = await loadCounterparts(profilesIn(db), wanted, viewer)
  const seen = as({ withBlocks: false })
  return rows.map(({ id, reaction, uid, reactedAt }) => ({
    id: String(id),
    messageId,
    reaction,
    uid,
    reactedAt,
    reactedBy: seen.user(uid),
  }))
}
