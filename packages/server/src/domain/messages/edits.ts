import type { edits } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { listEdits } from './edits.sql.ts'
import { placeOf, windowMeta } from './history/windows.ts'
import { accessMessage } from './stored/access.ts'

export const editHandlers: Handlers<typeof edits> = {
  /** For those who look after the app: users see a message as it is now. */
  async listEdits({ params: { id }, query }, ctx) {
    if (ctx.actor) throw new Failure('ERR_PERMISSION_DENIED', { what: 'the history of edits' })
    const { row } = await accessMessage(ctx, id, 'read')
    const place = placeOf(query, 'prepend')
    const rows = await listEdits(ctx.db, row, place)
    const last = rows.at(-1)
    const newestFirst = place.affix === 'append' ? rows.toReversed() : rows
    return {
      data: newestFirst.map((edit) => ({ ...edit, id: String(edit.id), messageId: id })),
      meta: windowMeta(place, rows.length, last && { id: last.id }),
    }
  },
}
