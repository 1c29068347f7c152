import type { AppDb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import type { AppendedEntry } from '../../outbox/committed.ts'
import { type Epochs, inEpoch } from '../../outbox/epochs.ts'
import { conversationIdOf } from '../users/index.ts'
import { groupConversationId, type People } from './counterparts.ts'
import {
  type ConversationKey,
  type Entry,
  movementOf,
  type Receiver,
  type Verdict,
} from './entries.ts'
import {
  changesAfter,
  entriesAfter,
  type FeedRow,
  findEntryId,
  findHeads,
  findSeat,
  findSeats,
  type HeadRow,
  type SeatRow,
} from './feed.sql.ts'
import { printEntries, printFresh } from './print-entries.ts'

/** A conversation as devices follow it. */
interface Followed extends ConversationKey {
  readonly appId: string
  readonly label: string
  readonly receiver: Receiver
}

/** A user's place in a conversation. */
interface Seat extends Followed {
  readonly uid: string
  /** Everything up to here is hidden from them. */
  readonly resetSeq: number
  readonly head: { readonly seq: number; readonly change: number }
}

interface ShownEntry {
  readonly seq: number
  readonly change: number
  /** Who has left with it, or come. */
  readonly departs: string | undefined
  readonly arrives: string | undefined
  /** JSON text, one for each of the viewers. */
  readonly texts: readonly string[]
  /** What its sender is shown of it, where that is not what the whole group is shown. */
  readonly own?: { readonly uid: string; readonly text: string } | undefined
}

/** Undefined: every member of the group, who are all shown the same. */
type Viewers = readonly (string | undefined)[]

interface Since {
  readonly seq: number
  readonly change: number
  /** Nothing up to here is shown. */
  readonly resetSeq: number
}

/** What devices hear of conversations: what was missed, and what has just been appended. */
export function openFeed(
  db: Db,
  peopleOf: (appId: string) => People,
  epochs: Pick<Epochs, 'current'>,
) {
  // Devices pass back what they were told, and so the epoch of which it was.
  const told = (change: number) => inEpoch(epochs.current, change)
  const untold = (change: number) => Math.max(0, change - inEpoch(epochs.current, 0))

  const within = (appId: string): AppDb => ({ appId, db })

  async function show(
    from: Followed,
    rows: readonly FeedRow[],
    viewers: Viewers,
    print: typeof printEntries,
  ): Promise<ShownEntry[]> {
    if (rows.length === 0) return []
    const entries: Entry[] = rows.map((row) => ({ row, receiver: from.receiver }))
    const members = from.receiver.kind === 'group'
    const printed = await Promise.all(
      viewers.map((viewer) =>
        print(within(from.appId), peopleOf(from.appId), entries, { viewer, members }),
      ),
    )
    const own = viewers.includes(undefined) ? await showOwn(from, entries, print) : undefined
    return rows.map((row, place) => ({
      seq: row.seq,
      change: told(row.change),
      ...movementOf(row),
      texts: printed.map((texts) => texts[place] ?? ''),
      own: own?.get(row.seq),
    }))
  }

  const seatOf = (row: SeatRow) => asSeat({ ...row, change: told(row.change) })

  /** Withheld messages, as those who sent them see them, by seq. */
  async function showOwn(from: Followed, entries: readonly Entry[], print: typeof printEntries) {
    const withheld = entries.filter(({ row }) => row.verdict?.sealed)
    const shown = withheld.map(async (entry) => {
      const { seq, sender: uid } = entry.row
      const view = { viewer: uid, members: true }
      const [text = ''] = await print(within(from.appId), peopleOf(from.appId), [entry], view)
      return [seq, { uid, text }] as const
    })
    return new Map(await Promise.all(shown))
  }

  return {
    async seatsOf(users: readonly { appId: string; uid: string }[]): Promise<Seat[]> {
      return (await findSeats(db, users)).map(seatOf)
    },

    async seatOf(appId: string, uid: string, at: ConversationKey): Promise<Seat | undefined> {
      const row = await findSeat(within(appId), uid, at)
      return row && seatOf(row)
    },

    async heads(of: readonly Followed[]): Promise<HeadRow[]> {
      const rows = await findHeads(db, of)
      return rows.map((row) => ({ ...row, change: told(row.change) }))
    },

    /**
     * What changed, then what was added. The entries are read last, so that whoever has left by
     * the time of a change is known to have left.
     */
    async missed(from: Followed, since: Since, viewers: Viewers, most: number) {
      const appDb = within(from.appId)
      const { seq, change, resetSeq } = since
      const between = { change: untold(change), afterSeq: resetSeq, upToSeq: seq }
      const changed = await changesAfter(appDb, from, between, most)
      const entries = await entriesAfter(appDb, from, Math.max(seq, resetSeq), most)
      return {
        changed: await show(from, changed, viewers, printEntries),
        entries: await show(from, entries, viewers, printEntries),
      }
    },

    /** Entries of a moment ago, from the process that appended them. */
    fresh(from: Followed, entries: readonly AppendedEntry[], viewers: Viewers) {
      const rows = entries.map((entry) => asRow(from, entry))
      return show(from, rows, viewers, printFresh)
    },

    entryId(of: Followed, seq: number): Promise<number | undefined> {
      return findEntryId(within(of.appId), of, seq)
    },
  }
}

function asSeat({ withUid, withGuid, head, change, ...row }: SeatRow): Seat {
  const { appId, bucket, key, uid, resetSeq } = row
  const other = withUid ?? ''
  return {
    ...{ appId, bucket, key, uid, resetSeq, head: { seq: head, change } },
    ...(withGuid === null
      ? { label: conversationIdOf(uid, other), receiver: { kind: 'user', uids: [uid, other] } }
      : { label: groupConversationId(withGuid), receiver: { kind: 'group', guid: withGuid } }),
  }
}

function asRow({ bucket, key }: ConversationKey, entry: AppendedEntry): FeedRow {
  const { seq, id, at, sender, category, type, muid, data, extra } = entry
  const verdict: Verdict | null = entry.verdict == null ? null : JSON.parse(entry.verdict)
  return {
    ...{ bucket, key, seq, id, sender, category, type, data: data ?? '{}' },
    muid: muid ?? null,
    extra: extra == null ? null : JSON.parse(extra),
    ...{ sentAt: at, updatedAt: at, editedAt: null, deletedAt: verdict?.sealed ? at : null },
    ...{ verdict, change: 0 },
  }
}
