import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { type Entry, freshRow } from '../../log/entries/index.ts'
import { appendWithin } from '../../log/index.ts'
import { touched } from './touched.ts'

/** By whom a message is changed, and whether lists show that it was. */
export interface Changing {
  readonly by: string
  readonly visible: boolean
}

/** The answer to a change is an action message, which has its own place in the log. */
export async function recordAction(
  ctx: AppTransaction,
  action: 'edited' | 'deleted',
  { row: changed, receiver }: Entry,
  { by, visible }: Changing,
): Promise<Entry> {
  const { bucket, key, id } = changed
  const said = {
    sender: by,
    category: 'action',
    type: 'message',
    data: JSON.stringify({ action, messageId: id }),
  }
  const { appId } = ctx.db
  const entry = { bucket, key, appId, ...said, counts: visible, shows: visible }
  const [placed] = await appendWithin(ctx, [entry])
  await ctx.outbox.append(`message.${action}`, touched(changed, by))
  if (!placed) throw new Error('An action was not appended.')
  return { row: freshRow(changed, placed, said), receiver }
}
