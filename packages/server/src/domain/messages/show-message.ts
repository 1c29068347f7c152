import type { ReadCtx } from '../../pipeline/handler.ts'
import { inside, Printed, printWith } from '../../pipeline/printed.ts'
import { type Entry, peopleIn, printEntries } from '../conversations/index.ts'

/** One message as the acting user sees it, with fields behind it that are text already. */
export async function answerWith<T>(
  ctx: ReadCtx,
  entry: Entry,
  more: readonly string[] = [],
): Promise<Printed<T>> {
  const [message] = await printEntries(ctx.db, peopleIn(ctx.db), [entry], {
    viewer: ctx.actor?.uid,
  })
  return new Printed(printWith({}, { data: message && inside(message, more) }))
}
