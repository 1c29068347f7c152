import type { EntryRef } from '../../outbox/events.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { type EntryFile, setFileInEntry } from '../log/entries/index.ts'
import { messagesWith } from './checks.sql.ts'
import { findFiles } from './files.sql.ts'

type Settled = 'ready' | 'refused'

/** Every message that names the file says so. */
export async function updateMessages(ctx: AppTransaction, fileId: string, state: Settled) {
  for (const message of await messagesWith(ctx.db, fileId)) {
    await tell(ctx, message, fileId, state)
  }
}

/** A file may have been checked while the message was on its way: then nobody has told the message. */
export async function catchUp(
  ctx: AppTransaction,
  message: EntryRef,
  files: readonly EntryFile[],
): Promise<void> {
  const waiting = files.flatMap(({ id, state }) => (state === 'checking' ? [id] : []))
  for (const { fileId, state } of await findFiles(ctx.db, waiting)) {
    if (state === 'ready' || state === 'refused') await tell(ctx, message, fileId, state)
  }
}

async function tell(ctx: AppTransaction, message: EntryRef, fileId: string, state: Settled) {
  await setFileInEntry(ctx.db, message, { id: fileId, state }, ctx.now)
  await ctx.outbox.append('message.fileChecked', { ...message, uploadId: fileId, state })
}
