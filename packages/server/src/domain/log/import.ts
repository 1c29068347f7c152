import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import type { ConversationKey } from './entries/entries.ts'
import {
  type EntryFromElsewhere,
  findByIds,
  type Growth,
  type Head,
  insertEntries,
  type Known,
  lastIdsOf,
  lockHeads,
  markParents,
  moveHeads,
  raiseOwn,
  reserveIds,
} from './import.sql.ts'
import { findByMuid, type Muid, muidName, type Placed } from './log.sql.ts'

export interface ImportedEntry
  extends ConversationKey,
    Omit<EntryFromElsewhere, 'bucket' | 'key' | 'seq' | 'counted' | 'parentSeq'> {
  /** The entry that it replies to: one that is stored, or comes before it in the same call. */
  readonly parentId: number | undefined
  /** Lists may show it as the last message. */
  readonly shows: boolean
}

export interface PlacedImport {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly at: number
  readonly repeated: boolean
  /** Of the entry that it replies to. */
  readonly parentSeq?: number | undefined
}

/**
 * `older`: than the last entry of its conversation. `taken`: another entry has its id or muid.
 * `disordered`: its id is not larger than the last. `orphaned`: what it replies to is not in its
 * conversation, or is a reply itself.
 */
export type RefusedImport = 'older' | 'taken' | 'disordered' | 'orphaned'

/**
 * Appends entries that come from elsewhere, with their own times and ids: those of a conversation in the
 * order of their times. What was imported before stays as it is. Results in the order of the entries.
 */
export async function importEntries(
  ctx: AppTransaction,
  entries: readonly ImportedEntry[],
): Promise<(PlacedImport | RefusedImport)[]> {
  if (entries.length === 0) return []
  const heads = await lockHeads(ctx.db, [...new Set(entries.map(({ key }) => key))])
  const ends = await lastIdsOf(ctx.db, [...heads.values()])
  const byMuid = await findByMuid(ctx.db.db, entries.filter(hasMuid))
  // Before it is asked which ids are taken: none of them is given to another from here on.
  const largest = Math.max(...entries.map(({ id = 0 }) => id))
  if (largest > 0) await reserveIds(ctx.db, largest)
  const ids = entries.flatMap(({ id, parentId }) => [id ?? [], parentId ?? []].flat())
  const byId = await findByIds(ctx.db, [...new Set(ids)])
  const places = new Places(heads, ends, byId)
  const results = new Map<ImportedEntry, PlacedImport | RefusedImport>()
  const fresh: Fresh[] = []
  for (const entry of entries.toSorted(inOrder)) {
    const found = repeatOf(entry, byId, byMuid) ?? places.take(entry)
    if (typeof found === 'string' || 'repeated' in found) results.set(entry, found)
    else fresh.push(found)
  }
  const placed = await append(ctx, places, fresh)
  for (const [nth, { entry }] of fresh.entries()) {
    const at = placed[nth]
    if (at) results.set(entry, at)
  }
  return entries.map((entry) => {
    const result = results.get(entry)
    if (!result) throw new Error('An entry was lost while it was imported.')
    return result
  })
}

interface Fresh {
  readonly entry: ImportedEntry
  readonly placed: EntryFromElsewhere
}

function hasMuid(entry: ImportedEntry): entry is ImportedEntry & Muid {
  return entry.muid !== undefined
}

function inOrder(a: ImportedEntry, b: ImportedEntry): number {
  return a.sentAt - b.sentAt || (a.id ?? 0) - (b.id ?? 0)
}

function repeatOf(
  entry: ImportedEntry,
  byId: ReadonlyMap<number, Known>,
  byMuid: ReadonlyMap<string, Placed>,
): PlacedImport | 'taken' | undefined {
  const { id, key, sender, sentAt } = entry
  const known = id === undefined ? undefined : byId.get(id)
  if (known) {
    const isSame = known.key === key && known.sender === sender && known.at === sentAt
    return isSame ? { ...placeOf(known), repeated: true } : 'taken'
  }
  const named = hasMuid(entry) ? byMuid.get(muidName(entry)) : undefined
  if (!named) return undefined
  // One that was imported without its id is the same; one with another id is not.
  return named.at === sentAt && id === undefined ? { ...placeOf(named), repeated: true } : 'taken'
}

function placeOf({ seq, id, counted, at }: Placed | Known) {
  return { seq, id, counted, at }
}

/** How conversations grow with the entries of a call. */
class Places {
  readonly growths = new Map<number, Growth>()
  readonly #heads: ReadonlyMap<number, Head>
  readonly #ends: ReadonlyMap<number, number>
  readonly #byId: ReadonlyMap<number, Known>
  readonly #taken = new Map<number, { readonly key: number; readonly seq: number }>()
  readonly #replies = new Set<number>()
  readonly #names = new Set<string>()

  constructor(
    heads: ReadonlyMap<number, Head>,
    ends: ReadonlyMap<number, number>,
    byId: ReadonlyMap<number, Known>,
  ) {
    this.#heads = heads
    this.#ends = ends
    this.#byId = byId
  }

  take(entry: ImportedEntry): Fresh | RefusedImport {
    const { bucket, key, id, sentAt, parentId, counts } = entry
    const end = this.growths.get(key) ?? this.#endOf(key)
    if (sentAt < end.lastAt) return 'older'
    const name = hasMuid(entry) ? muidName(entry) : undefined
    if (id !== undefined && this.#taken.has(id)) return 'taken'
    if (name !== undefined && this.#names.has(name)) return 'taken'
    if (id !== undefined && id <= end.lastId) return 'disordered'
    const parentSeq = parentId === undefined ? undefined : this.#parentOf(key, parentId)
    if (parentId !== undefined && parentSeq === undefined) return 'orphaned'
    const seq = end.head + 1
    const counted = end.counted + (counts ? 1 : 0)
    const lastId = id ?? end.lastId
    const shown = entry.shows ? { seq, at: sentAt } : end.shown
    const { before } = end
    this.growths.set(key, {
      bucket,
      key,
      before,
      head: seq,
      counted,
      shown,
      lastAt: sentAt,
      lastId,
    })
    if (name !== undefined) this.#names.add(name)
    if (id !== undefined) {
      this.#taken.set(id, { key, seq })
      if (parentSeq !== undefined) this.#replies.add(id)
    }
    return { entry, placed: { ...entry, seq, counted, parentSeq } }
  }

  #endOf(key: number): Growth {
    const head = this.#heads.get(key)
    if (!head) throw new Error('A conversation to import into does not exist.')
    const lastId = this.#ends.get(key) ?? 0
    return { ...head, before: head.head, shown: undefined, lastId }
  }

  #parentOf(key: number, id: number): number | undefined {
    const stored = this.#byId.get(id)
    if (stored) return stored.key === key && !stored.isReply ? stored.seq : undefined
    const taken = this.#taken.get(id)
    return taken?.key === key && !this.#replies.has(id) ? taken.seq : undefined
  }
}

async function append(
  { db, outbox, now }: AppTransaction,
  { growths }: Places,
  fresh: readonly Fresh[],
): Promise<PlacedImport[]> {
  if (fresh.length === 0) return []
  const entries = fresh.map(({ placed }) => placed)
  const ids = await insertEntries(db, entries)
  const replies = entries.filter(({ parentSeq }) => parentSeq !== undefined)
  if (replies.length > 0) await markParents(db, replies)
  const counting = entries.filter(({ counts }) => counts)
  if (counting.length > 0) await raiseOwn(db, counting)
  const receipt = await moveHeads(db, [...growths.values()], now)
  const placed = entries.map((entry, nth) => {
    const id = ids[nth]
    if (id === undefined) throw new Error('An imported entry has no id.')
    return { ...entry, id, at: entry.sentAt }
  })
  const appended = placed.map((entry) => ({ ...entry, appId: db.appId, imported: true }))
  // In the order in which the receipt is read, should nobody hear of it now.
  outbox.appended({ receipt, entries: appended.toSorted((a, b) => a.id - b.id) })
  return placed.map((entry) => ({
    ...placeOf(entry),
    repeated: false,
    parentSeq: entry.parentSeq,
  }))
}
