import type { AppDb } from '../../database/app-db.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { mapInTurns } from '../../watchdog/map-in-turns.ts'
import { actionOf, type Entry, refersTo, seenBy } from '../log/entries/index.ts'
import { counterpartsOf, type Found, loadCounterparts, type ProfileLoader } from './counterparts.ts'
import { countReplies, findOwnReactions, findReferred } from './entry-facts.sql.ts'
import { type Receipt, rangesOf, receiptsIn } from './receipts.ts'
import { type EntryView, serialiseEntry } from './serialise-entry.ts'

const nothing = new Map<number, never>()
/** Nobody has read it, answered or reacted yet. */
const unanswered = { replies: nothing, ownReactions: nothing, receipts: nothing }

/** Entries as JSON text, as the viewer sees them. */
export async function serialiseEntries(
  db: AppDb,
  from: ProfileLoader,
  stored: readonly Entry[],
  view: EntryView,
): Promise<string[]> {
  const { viewer } = view
  const entries = stored.map((entry) => seenBy(viewer, entry))
  const rows = entries.map(({ row }) => row)
  const referred = await loadReferred(db, entries)
  const people = await loadProfiles(from, [...entries, ...referred.values()], view)
  await prepareAddresses(db, [...entries, ...referred.values()], view)
  const withReactions = rows.filter(({ extra, deletedAt }) => extra?.reactions && !deletedAt)
  const facts = {
    appId: db.appId,
    ...people,
    referred,
    between: new Map(),
    replies: await countReplies(
      db,
      rows.filter(({ extra }) => extra?.thread),
    ),
    ownReactions: await findOwnReactions(db, withReactions, viewer),
    // Nobody has read what nobody was shown.
    receipts: await loadReceipts(
      db,
      from,
      entries.filter(({ row }) => !row.verdict?.sealed),
    ),
  }
  return mapInTurns(entries, (entry) => serialiseEntry(entry, facts, view))
}

/** Entries that were appended a moment ago: nobody has read, answered or reacted yet. */
export async function serialiseFresh(
  db: AppDb,
  from: ProfileLoader,
  stored: readonly Entry[],
  view: EntryView,
): Promise<string[]> {
  const entries = stored.map((entry) => seenBy(view.viewer, entry))
  const referred = await loadReferred(db, entries)
  const people = await loadProfiles(from, [...entries, ...referred.values()], view)
  await prepareAddresses(db, [...entries, ...referred.values()], view)
  const facts = { appId: db.appId, ...people, ...unanswered, referred, between: new Map() }
  return entries.map((entry) => serialiseEntry(entry, facts, view))
}

/**
 * The same of one entry that speaks of nobody but those who were found: a plain message between them.
 * Undefined: it may speak of others.
 */
export function serialiseKnown(
  appId: string,
  { users, groups }: Found,
  stored: Entry,
  view: EntryView,
): string | undefined {
  const entry = seenBy(view.viewer, stored)
  const { extra, category } = entry.row
  if (extra !== null || category === 'action') return undefined
  const { viewer, members } = view
  const seen = counterpartsOf({
    user: (uid) => users.find((row) => row.uid === uid),
    group: (guid) => groups.find((row) => row.guid === guid),
    view: { viewer, members, withBlocks: false, withConversationId: false },
  })
  return serialiseEntry(
    entry,
    { appId, seen, mentioned: seen, referred: nothing, ...unanswered },
    view,
  )
}

/** Of most pages: no message names a file. */
async function prepareAddresses(db: AppDb, entries: readonly Entry[], { addresses }: EntryView) {
  if (!addresses) return
  const files = entries.flatMap(({ row }) => row.extra?.files ?? [])
  if (files.length > 0) await addresses.prepare(db, files)
}

async function loadReferred(
  db: AppDb,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, Entry>> {
  const referring = entries.filter(({ row }) => refersTo(row) !== undefined)
  if (referring.length === 0) return nothing
  const from = new Map(referring.map(({ row, receiver }) => [Number(refersTo(row)), receiver]))
  // A message speaks of others of its conversation only.
  const wanted = new Map(referring.map(({ row }) => [Number(refersTo(row)), row.bucket]))
  const rows = await findReferred(
    db,
    Array.from(wanted, ([id, bucket]) => ({ id, bucket })),
  )
  return new Map(
    rows.flatMap((row) => {
      const receiver = from.get(row.id)
      return receiver ? [[row.id, { row, receiver }]] : []
    }),
  )
}

async function loadProfiles(from: ProfileLoader, entries: readonly Entry[], view: EntryView) {
  const { viewer, members, mentionsWithTags, mentionsWithBlockedInfo: blocks = false } = view
  const uids: string[] = []
  const guids: string[] = []
  let last: Receiver | undefined
  for (const { row, receiver } of entries) {
    uids.push(row.sender)
    const on = actionOf(row)?.on
    if (on !== undefined) uids.push(on)
    if (row.extra?.mentions) uids.push(...row.extra.mentions)
    // All entries of a page of one conversation have the same.
    if (receiver === last) continue
    last = receiver
    if (receiver.kind === 'group') guids.push(receiver.guid)
    else uids.push(...receiver.uids)
  }
  const as = await loadCounterparts(from, { uids, guids, blocks }, viewer)
  return {
    seen: as({ members, withBlocks: false, withConversationId: false }),
    mentioned: as({ members, withTags: mentionsWithTags, withBlocks: blocks }),
  }
}

async function loadReceipts(
  { appId }: AppDb,
  from: ProfileLoader,
  entries: readonly Entry[],
): Promise<Map<number, Receipt>> {
  const ranges = rangesOf(appId, entries)
  const moves = await from.moves(ranges)
  return new Map(ranges.flatMap((range, nth) => receiptsIn(range, moves[nth] ?? [])))
}
