import type { EntryRef } from '../../outbox/events.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { type EntryFile, setFileInEntry } from '../log/entries/index.ts'
import { classificationQueue, hasten } from '../rules/classifiers/index.ts'
import { messagesWith } from './checks.sql.ts'
import { type FileRow, findFiles, lockFileStates } from './files.sql.ts'
import { entryFileOf } from './named-files.ts'

/** Every message that names the file says what became of it. */
export async function updateMessages(ctx: AppTransaction, fileId: string): Promise<void> {
  const [file] = await findFiles(ctx.db, [fileId])
  if (!file) return
  for (const message of await messagesWith(ctx.db, fileId)) await tell(ctx, message, file)
}

/** A file may have been checked while the message was on its way: then nobody has told the message. */
export async function catchUp(
  ctx: AppTransaction,
  message: EntryRef,
  files: readonly EntryFile[],
): Promise<void> {
  const waiting = files.flatMap(({ id, state }) => (state === 'checking' ? [id] : []))
  for (const file of await findFiles(ctx.db, waiting)) await tell(ctx, message, file)
}

/**
 * Files that an edit, or a question to classifiers, of this transaction names, as they are now. Whoever
 * settles one of them later sees the message. One that was removed meanwhile is refused.
 */
export async function asTheyAre(
  { db }: Pick<AppTransaction, 'db'>,
  files: readonly EntryFile[],
): Promise<EntryFile[]> {
  const unsettled = files.flatMap(({ id, state }) => (state === 'checking' ? [id] : []))
  const now = unsettled.length === 0 ? [] : await lockFileStates(db, unsettled)
  return files.map((file) => {
    if (file.state !== 'checking') return file
    const known = now.find(({ fileId }) => fileId === file.id)
    return known ? entryFileOf(known) : { ...file, state: 'refused' }
  })
}

async function tell(ctx: AppTransaction, message: EntryRef, file: FileRow): Promise<void> {
  const { fileId: uploadId, state } = file
  if (state !== 'ready' && state !== 'refused') return
  const { store: _, ...known } = entryFileOf(file)
  await setFileInEntry(ctx.db, message, known, ctx.now)
  await ctx.outbox.append('message.fileChecked', { ...message, uploadId, state })
  if (await hasten(ctx.db, message)) ctx.outbox.wake(classificationQueue)
}
