import type { AppDb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import type { AppendedEntry, ConversationKey } from '../../outbox/committed.ts'
import { type Epochs, inEpoch } from '../../outbox/epochs.ts'
import type {
  Feed,
  FollowedConversation,
  Membership,
  SerialisedEntry,
  Viewers,
} from '../../realtime/ports.ts'
import type { FileAddresses } from '../../storage/addresses.ts'
import { type Entry, freshRow, movementOf } from '../log/entries/index.ts'
import { conversationIdOf } from '../users/index.ts'
import { groupConversationId, type ProfileLoader } from './counterparts.ts'
import {
  changesAfter,
  entriesAfter,
  type FeedRow,
  findEntryId,
  findHeads,
  findMembership,
  findMemberships,
  type MembershipRow,
} from './feed.sql.ts'
import { withPublished } from './published-profiles.ts'
import { serialiseEntries, serialiseFresh } from './serialise-entries.ts'
import { hasUnready } from './shown-files.ts'

type Print = typeof serialiseEntries

interface ShowParts {
  readonly db: Db
  peopleOf(appId: string): ProfileLoader
  /** As devices are told it. */
  told(change: number): number
  readonly addresses: FileAddresses | undefined
}

/** What devices hear of conversations: what was missed, and what has just been appended. */
export function openFeed(
  db: Db,
  peopleOf: (appId: string) => ProfileLoader,
  epochs: Pick<Epochs, 'current'>,
  addresses?: FileAddresses,
): Feed {
  // Devices pass back what they were told, and so the epoch of which it was.
  const told = (change: number) => inEpoch(epochs.current, change)
  const untold = (change: number) => Math.max(0, change - inEpoch(epochs.current, 0))
  const within = (appId: string): AppDb => ({ appId, db })
  const parts: ShowParts = { db, peopleOf, told, addresses }
  const memberOf = (row: MembershipRow) => asMembership({ ...row, change: told(row.change) })

  return {
    async membershipsOf(users) {
      return (await findMemberships(db, users)).map(memberOf)
    },

    async membershipOf(appId, uid, at) {
      const row = await findMembership(within(appId), uid, at)
      return row && memberOf(row)
    },

    async heads(of) {
      const rows = await findHeads(db, of)
      return rows.map((row) => ({ ...row, change: told(row.change) }))
    },

    /**
     * What changed, then what was added. The entries are read last, so that whoever has left by
     * the time of a change is known to have left.
     */
    async missed(from, since, viewers, most) {
      const appDb = within(from.appId)
      const { seq, change, resetSeq } = since
      const between = { change: untold(change), afterSeq: resetSeq, upToSeq: seq }
      const changed = await changesAfter(appDb, from, between, most)
      const entries = await entriesAfter(appDb, from, Math.max(seq, resetSeq), most)
      return {
        changed: await show(parts, from, changed, viewers, serialiseEntries),
        entries: await show(parts, from, entries, viewers, serialiseEntries),
      }
    },

    /** Entries of a moment ago, from the process that appended them. */
    fresh(from, entries, viewers) {
      const rows = entries.map((entry) => asRow(from, entry))
      const known = (appId: string) => withPublished(peopleOf(appId), entries)
      return show({ ...parts, peopleOf: known }, from, rows, viewers, serialiseFresh)
    },

    entryId(of, seq) {
      return findEntryId(within(of.appId), of, seq)
    },
  }
}

async function show(
  parts: ShowParts,
  from: FollowedConversation,
  rows: readonly FeedRow[],
  viewers: Viewers,
  print: Print,
): Promise<SerialisedEntry[]> {
  if (rows.length === 0) return []
  const entries: Entry[] = rows.map((row) => ({ row, receiver: from.receiver }))
  const members = from.receiver.kind === 'group'
  const { appId } = from
  const { addresses } = parts
  const printed = await Promise.all(
    viewers.map((viewer) =>
      print({ appId, db: parts.db }, parts.peopleOf(appId), entries, {
        viewer,
        members,
        addresses,
      }),
    ),
  )
  const own = viewers.includes(undefined) ? await showOwn(parts, appId, entries, print) : undefined
  return rows.map((row, place) => ({
    seq: row.seq,
    change: parts.told(row.change),
    ...movementOf(row),
    texts: printed.map((texts) => texts[place] ?? ''),
    own: own?.get(row.seq),
  }))
}

/** Messages that are withheld, or name a file that is not ready, as those who sent them see them, by seq. */
async function showOwn(
  { db, peopleOf, addresses }: ShowParts,
  appId: string,
  entries: readonly Entry[],
  print: Print,
) {
  const withheld = entries.filter(({ row }) => row.verdict?.sealed || hasUnready(row))
  const shown = withheld.map(async (entry) => {
    const { seq, sender: uid } = entry.row
    const view = { viewer: uid, members: true, addresses }
    const [text = ''] = await print({ appId, db }, peopleOf(appId), [entry], view)
    return [seq, { uid, text }] as const
  })
  return new Map(await Promise.all(shown))
}

function asMembership({ withUid, withGuid, head, change, ...row }: MembershipRow): Membership {
  const { appId, bucket, key, uid, resetSeq } = row
  const other = withUid ?? ''
  return {
    appId,
    bucket,
    key,
    uid,
    resetSeq,
    head: { seq: head, change },
    ...(withGuid === null
      ? { label: conversationIdOf(uid, other), receiver: { kind: 'user', uids: [uid, other] } }
      : { label: groupConversationId(withGuid), receiver: { kind: 'group', guid: withGuid } }),
  }
}

function asRow(of: ConversationKey, entry: AppendedEntry): FeedRow {
  const { data, extra, verdict } = entry
  const row = freshRow(of, entry, {
    ...entry,
    data: data ?? '{}',
    extra: extra == null ? null : JSON.parse(extra),
    verdict: verdict == null ? null : JSON.parse(verdict),
  })
  return { ...row, change: 0 }
}
