import { isDeepStrictEqual } from 'node:util'
import type { AppDb } from '../../../database/app-db.ts'
import { nameFiles } from '../../files/index.ts'
import {
  type EntryFile,
  type EntryRow,
  type Extra,
  editEntry,
  updateExtra,
  withdrawEntry,
} from '../../log/entries/index.ts'
import { deletePin } from '../pins.sql.ts'
import { indexEntries } from '../search/search.ts'
import { lowerReplies } from '../threads.sql.ts'
import { changeReactions, countsOf, type Given } from './reactions.ts'

/** What has become, elsewhere, of a message that was imported. */
interface Wanted {
  readonly data: string
  readonly tags: readonly string[] | undefined
  readonly mentions: readonly string[]
  /** That it names, locked. */
  readonly files: readonly EntryFile[]
  readonly updatedAt: number | undefined
  readonly editedAt: number | undefined
  readonly editedBy: string | undefined
  readonly deletedAt: number | undefined
  readonly deletedBy: string | undefined
  /** Undefined: nothing is known of them. */
  readonly reactions: readonly Given[] | undefined
}

/**
 * Makes a message what it has become elsewhere. Nobody is told; who was away finds it changed. The
 * conversation is locked. False: it is so already.
 */
export async function changeImported(db: AppDb, row: EntryRow, wanted: Wanted): Promise<boolean> {
  if (row.deletedAt !== null) return false
  const { deletedAt, deletedBy, editedAt, updatedAt = row.updatedAt } = wanted
  if (deletedAt !== undefined) {
    const { pinned: _, ...beside } = row.extra ?? {}
    const { editedBy } = wanted
    const extra = {
      ...beside,
      ...(editedBy !== undefined && { editedBy }),
      ...(deletedBy !== undefined && { deletedBy }),
    }
    // Edited and deleted since: what it said last is not known any more.
    if (editedAt !== undefined && editedAt !== row.editedAt) {
      await editEntry(db, row, { data: undefined, extra, verdict: undefined }, editedAt)
    }
    await withdrawEntry(db, row, { extra, forever: false }, deletedAt)
    await deletePin(db, row)
    if (beside.parent !== undefined) await lowerReplies(db, row)
  } else {
    const isEdited = saysMore(row, wanted)
    const files = isEdited || isAsOld(row, wanted) ? freshIn(row, wanted) : []
    await nameFiles(
      db,
      row,
      files.map(({ id }) => id),
    )
    const beside = await besideOf(db, row, wanted, isEdited)
    const extra =
      files.length > 0 ? { ...beside, files: [...(beside.files ?? []), ...files] } : beside
    const isSame = isDeepStrictEqual(extra, row.extra) && updatedAt <= row.updatedAt
    if (!isEdited && isSame) return false
    if (isEdited && editedAt !== undefined) {
      const data = JSON.parse(wanted.data)
      await editEntry(db, row, { data, extra, verdict: undefined }, editedAt)
    }
    const latest = Math.max(updatedAt, row.updatedAt, editedAt ?? 0)
    const data = !isEdited && files.length > 0 ? withAttachments(row, wanted) : undefined
    if (!isEdited || latest !== editedAt) await updateExtra(db, row, extra, latest, data)
  }
  const { bucket, key, seq } = row
  await indexEntries(db.db, [{ bucket, key, firstSeq: seq, lastSeq: seq }])
  return true
}

/** Edited since; of two edits in one second, the last is the one that is there now. */
function saysMore(row: EntryRow, { data, editedAt }: Wanted): boolean {
  if (editedAt === undefined || editedAt < (row.editedAt ?? 0)) return false
  return editedAt !== row.editedAt || !isDeepStrictEqual(JSON.parse(row.data), JSON.parse(data))
}

/** No later edit is known: what the message has become is what is stored, but for its files. */
function isAsOld(row: EntryRow, { editedAt = 0 }: Wanted): boolean {
  return editedAt === (row.editedAt ?? 0)
}

/** Files that it has not named before. */
function freshIn({ extra }: EntryRow, { files }: Wanted): EntryFile[] {
  const known = new Set(extra?.files?.map(({ id }) => id))
  return files.filter(({ id }) => !known.has(id))
}

/** Stored files take the place of links; everything else stays as it is, and nobody has edited it. */
function withAttachments(row: EntryRow, { data }: Wanted): object {
  const { attachments, url } = JSON.parse(data)
  return { ...JSON.parse(row.data), attachments, url }
}

/** What stands beside the data from here on. */
async function besideOf(
  db: AppDb,
  row: EntryRow,
  { tags, mentions, editedBy, reactions }: Wanted,
  isEdited: boolean,
): Promise<Extra> {
  const { reactions: counted, tags: tagged, mentions: mentioned, ...beside } = row.extra ?? {}
  // Most have none, neither here nor there.
  if (reactions && (counted || reactions.length > 0)) await changeReactions(db, row, reactions)
  const counts = reactions ? countsOf(reactions) : counted
  const kept = tags ?? tagged ?? []
  const named = isEdited ? mentions : (mentioned ?? [])
  return {
    ...beside,
    ...(kept.length > 0 && { tags: kept }),
    ...(named.length > 0 && { mentions: named }),
    ...(isEdited && editedBy !== undefined && { editedBy }),
    ...(counts && Object.keys(counts).length > 0 && { reactions: counts }),
  }
}
