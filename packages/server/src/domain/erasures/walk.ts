import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { fileRemovalQueue } from '../files/index.ts'
import { heldConversations } from '../holds/index.ts'
import type { Extra } from '../log/entries/index.ts'
import { renameInEntry } from '../log/erasure/index.ts'
import { eraseLog, eraseMessage, renameInEdits, withdrawReactions } from '../messages/index.ts'
import { systemUid } from '../users/index.ts'
import type { ErasureRow } from './erasures.sql.ts'
import { type FoundEntry, findOfUser, nextRange } from './walk.sql.ts'

/** Looked at in one transaction, and changed in it. */
const maxEntries = 2000
const maxFound = 100

/** The next messages of the app: what it is afterwards, or undefined after the last one. */
export async function walkMessages(
  ctx: AppTransaction,
  erasure: ErasureRow,
): Promise<ErasureRow | undefined> {
  const { uid, reachedId } = erasure
  const range = await nextRange(ctx.db, reachedId, maxEntries)
  if (!range) return undefined
  const found = await findOfUser(ctx.db, uid, range, maxFound)
  const isCut = found.length === maxFound
  const lost = found.filter(({ isLost }) => isLost)
  const kept = new Set((await heldConversations(ctx.db)).map(({ key }) => key))
  let { messages, mentions, reactions, held } = erasure
  for (const { bucket, key } of new Map(lost.map((entry) => [entry.key, entry])).values()) {
    await eraseLog(ctx.db, { bucket, key })
    ctx.outbox.wake(fileRemovalQueue)
  }
  messages += lost.filter(({ sender }) => sender === uid).length
  for (const entry of found) {
    if (entry.isLost) continue
    if (kept.has(entry.key)) {
      held++
      continue
    }
    const { extra, withdrawn } = await withdrawReactions(ctx, entry, uid)
    reactions += withdrawn
    if (isSaidBy(entry, uid)) {
      await eraseMessage(ctx, entry, { by: systemUid, pseudonym: erasure.pseudonym })
      messages++
    } else if (await rename(ctx, { ...entry, extra }, erasure)) {
      mentions++
    }
  }
  const reached = isCut ? (found.at(-1)?.id ?? range.upTo) : range.upTo
  // Where it was cut, most of the range is still to come.
  const scanned = erasure.scanned + (isCut ? found.length : range.entries)
  return {
    ...erasure,
    status: 'running',
    reachedId: reached,
    scanned,
    messages,
    mentions,
    reactions,
    held,
  }
}

/** What happened in a group stays, under another name. */
function isSaidBy({ sender, category }: FoundEntry, uid: string): boolean {
  return sender === uid && category !== 'action'
}

async function rename(
  ctx: AppTransaction,
  entry: FoundEntry,
  { uid, pseudonym }: ErasureRow,
): Promise<boolean> {
  const mention = new RegExp(RegExp.escape(`<@uid:${uid}>`), 'gi')
  const inText = (text: string) => text.replace(mention, `<@uid:${pseudonym}>`)
  const named = (name: string) => (name === uid ? pseudonym : name)
  const data = entry.category === 'action' ? renamedAction(entry.data, named) : inText(entry.data)
  const to = {
    sender: named(entry.sender),
    data,
    extra: entry.extra && renamedExtra(entry.extra, named),
    verdict: entry.verdictText && inText(entry.verdictText),
  }
  const before = [entry.sender, entry.data, JSON.stringify(entry.extra), entry.verdictText]
  const isSame = before.join() === [to.sender, to.data, JSON.stringify(to.extra), to.verdict].join()
  await renameInEdits(ctx.db, entry, inText)
  if (!isSame) await renameInEntry(ctx.db, entry, to, ctx.now)
  return !isSame
}

function renamedAction(data: string, named: (name: string) => string): string {
  const action: { on?: string } = JSON.parse(data)
  return JSON.stringify({ ...action, ...(action.on !== undefined && { on: named(action.on) }) })
}

function renamedExtra(extra: Extra, named: (name: string) => string): Extra {
  const { mentions, unseen, editedBy, deletedBy, pinned } = extra
  return {
    ...extra,
    ...(mentions && { mentions: mentions.map(named) }),
    ...(unseen && { unseen: unseen.map(named) }),
    ...(editedBy !== undefined && { editedBy: named(editedBy) }),
    ...(deletedBy !== undefined && { deletedBy: named(deletedBy) }),
    ...(pinned && { pinned: { ...pinned, by: named(pinned.by) } }),
  }
}
