import type { ReadCtx } from '../../../pipeline/handler.ts'
import { RawJson, rawObject, withFields } from '../../../pipeline/raw-json.ts'
import type { Entry } from '../../log/entries/index.ts'
import { profilesIn, serialiseEntries } from '../../views/index.ts'

/** One message as the acting user sees it, with more fields behind it. */
export async function answerWith<T>(
  ctx: ReadCtx,
  entry: Entry,
  more: object = {},
): Promise<RawJson<T>> {
  const [message] = await serialiseEntries(ctx.db, profilesIn(ctx.db), [entry], {
    viewer: ctx.actor?.uid,
    addresses: ctx.addresses,
  })
  return new RawJson(rawObject({}, { data: message && withFields(message, more) }))
}
