import type { ImportedConversation, imports } from '@chorale/contract/imports'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../pipeline/handler.ts'
import { countUnreadOf } from '../conversations/index.ts'
import { findGroupsToFill } from '../groups/index.ts'
import {
  findMarks,
  findUnreadMarks,
  importMoves,
  lockPositions,
  type Marked,
  type ParticipantKey,
  setReads,
} from '../log/imported/index.ts'
import { findUserConversations } from '../log/index.ts'
import { type Mark, setTags } from '../log/participants/index.ts'
import { outcomeOf } from './outcomes.ts'

type Importing = Handlers<typeof imports>['importConversations']

interface Placing extends ParticipantKey {
  readonly item: ImportedConversation
  /** The key of the item in the call. */
  readonly of: string
}

type Outcomes = Map<string, { unreadMessageCount: number } | Failure>

export const importingConversations: Importing = async ({ body: { conversations } }, ctx) => {
  const items = Object.entries(conversations)
  const found = await findConversations(
    ctx,
    items.map(([, item]) => item),
  )
  const outcomes: Outcomes = new Map()
  const placings = items.flatMap(([of, item]): Placing[] => {
    const conversation = found(item)
    if (!conversation) outcomes.set(of, new Failure(notThere))
    const { bucket, key } = conversation ?? {}
    return bucket === undefined || key === undefined
      ? []
      : [{ bucket, key, uid: item.uid, item, of }]
  })
  for (const round of roundsOf(placings)) await place(ctx, round, outcomes)
  const data = items.map(([key]) => [key, outcomeOf(outcomes.get(key))])
  return { data: Object.fromEntries(data) }
}

const notThere = 'ERR_CONVERSATION_NOT_ACCESSIBLE'

/** A statement places each participant once: whoever is named again comes in the next round. */
function roundsOf(placings: readonly Placing[]): Placing[][] {
  const byReader = [...Map.groupBy(placings, nameOf).values()]
  const rounds = Math.max(0, ...byReader.map(({ length }) => length))
  return Array.from({ length: rounds }, (_, nth) => byReader.flatMap((ofOne) => ofOne[nth] ?? []))
}

function nameOf({ bucket, key, uid }: ParticipantKey): string {
  return `${bucket} ${key} ${uid}`
}

async function findConversations({ db }: WriteCtx, items: readonly ImportedConversation[]) {
  const pairs = items.flatMap((item) => (item.conversationType === 'user' ? pairOf(item) : []))
  const guids = items.flatMap(({ conversationType, conversationWith }) =>
    conversationType === 'group' ? conversationWith : [],
  )
  const users = await findUserConversations(db, pairs)
  const groups = await findGroupsToFill(db, [...new Set(guids)])
  return (item: ImportedConversation): ConversationKey | undefined => {
    if (item.conversationType === 'group') return groups.get(item.conversationWith)
    const { low, high } = pairOf(item)
    return users.get(`${low} ${high}`)
  }
}

function pairOf({ uid, conversationWith }: ImportedConversation) {
  const [low = '', high = ''] = [uid, conversationWith].sort()
  return { low, high }
}

/** A position from elsewhere may lie before the one that is here. */
async function place(
  { db }: WriteCtx,
  placings: readonly Placing[],
  outcomes: Outcomes,
): Promise<void> {
  const there = new Set((await lockPositions(db, placings)).map(nameOf))
  const locked = placings.filter((one) => there.has(nameOf(one)))
  const before = await countUnreadOf(db, locked)
  const changed = locked.filter(({ item }, nth) => !saysOnly(item, before[nth]))
  const marks = await marksOf(db, changed)
  const refused = changed.filter((one) => one.item.lastReadMessageId && !marks.has(one))
  const moved = changed.flatMap((one) => {
    const mark = marks.get(one)
    return mark ? [{ ...one, ...mark }] : []
  })
  await setReads(db, moved)
  await importMoves(db, moved.flatMap(moveOf))
  for (const one of changed) {
    const { tags } = one.item
    if (tags && !refused.includes(one)) await setTags(db, one, one.uid, tags)
  }
  const after = changed.length > 0 ? await countUnreadOf(db, locked) : before
  for (const { of } of placings) outcomes.set(of, new Failure(notThere))
  for (const [nth, { of }] of locked.entries()) {
    outcomes.set(of, { unreadMessageCount: after[nth] ?? 0 })
  }
  for (const { of, item } of refused) {
    const { lastReadMessageId: id = '' } = item
    outcomes.set(of, new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id }))
  }
}

/** Where it is so already, nothing has to be written. */
function saysOnly(item: ImportedConversation, unread: number | undefined): boolean {
  const { unreadMessageCount, lastReadMessageId, readAt, tags } = item
  const others = [lastReadMessageId, readAt, tags]
  return unreadMessageCount === unread && others.every((one) => one === undefined)
}

/** Where each of them has read to, of those who say so and whose message is there. */
async function marksOf(db: AppDb, placings: readonly Placing[]): Promise<Map<Placing, Mark>> {
  const named = placings.flatMap((one) => {
    const { lastReadMessageId: id } = one.item
    return id === undefined ? [] : [{ ...one, one, id: Number(id) }]
  })
  const counted = placings.flatMap((one) => {
    const { lastReadMessageId: id, unreadMessageCount: unread } = one.item
    return id !== undefined || unread === undefined ? [] : [{ ...one, one, unread }]
  })
  const marks = new Map<Placing, Mark>()
  const note = (asked: readonly { one: Placing }[], found: readonly Marked[]) => {
    for (const { nth, seq, counted } of found) {
      const one = asked[nth - 1]?.one
      if (one) marks.set(one, { seq, counted })
    }
  }
  note(named, await findMarks(db, named))
  note(counted, await findUnreadMarks(db, counted))
  return marks
}

function moveOf({ bucket, key, uid, seq, counted, item: { readAt } }: Placing & Mark) {
  if (readAt === undefined || seq === 0) return []
  return [{ bucket, key, uid, kind: 'read' as const, seq, counted, at: readAt }]
}
