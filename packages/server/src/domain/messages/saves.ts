import type { saves } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../pipeline/handler.ts'
import { actorOf } from '../conversations/index.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { existingUids } from '../users/index.ts'
import { countSaves, deleteSave, findSave, insertSave } from './saves.sql.ts'
import { accessMessage, requireStanding } from './stored/access.ts'
import { answerWith } from './stored/show-message.ts'
import { touched } from './stored/touched.ts'

const maxSaves = 100

export const saveHandlers: Handlers<typeof saves> = {
  async saveMessage({ params: { id } }, ctx) {
    const { uid } = actorOf(ctx)
    // One by one, so that two at once do not both find room for the last.
    await existingUids(ctx.db, [uid], { alone: true })
    const entry = await accessMessage(ctx, id, 'read')
    requireStanding(entry)
    const { row } = entry
    const savedAt = (await findSave(ctx.db, uid, row)) ?? (await save(ctx, uid, row))
    return answerWith(ctx, entry, { savedAt })
  },

  async unsaveMessage({ params: { id } }, ctx) {
    const { uid } = actorOf(ctx)
    const entry = await accessMessage(ctx, id, 'read')
    if (await deleteSave(ctx.db, uid, entry.row)) {
      await ctx.outbox.append('message.unsaved', touched(entry.row, uid))
    }
    return answerWith(ctx, entry)
  },
}

async function save(ctx: WriteCtx, uid: string, row: EntryRow): Promise<number> {
  if ((await countSaves(ctx.db, uid)) >= maxSaves) {
    throw new Failure('ERR_SAVED_MESSAGES_LIMIT_EXCEEDED', { limit: maxSaves })
  }
  await insertSave(ctx.db, uid, row, ctx.now)
  await ctx.outbox.append('message.saved', touched(row, uid))
  return ctx.now
}
