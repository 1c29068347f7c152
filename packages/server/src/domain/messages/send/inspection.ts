import { Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import type { Entry } from '../../log/entries/index.ts'
import { type ProfileLoader, serialiseFresh } from '../../views/index.ts'

/** Looks at a message before it is stored. What it answers is kept with the message, by name. */
export type Inspector = (
  ctx: Pick<ReadCtx, 'caller' | 'now'>,
  /** The message as JSON text; one that is new has no id yet. */
  message: string,
) => Promise<'drop' | Readonly<Record<string, unknown>>>

interface Injected {
  readonly webhooks?: Readonly<Record<string, unknown>>
}

/** Undefined, for nearly every app: nobody looks. */
export type Inspect = (appId: string) => Inspector | undefined

/** The data of the message with what inspectors have put in, or the failure. */
export async function inspected(
  inspector: Inspector,
  ctx: ReadCtx,
  from: ProfileLoader,
  entry: Entry,
): Promise<string> {
  const { data } = entry.row
  const [text = '{}'] = await serialiseFresh(ctx.db, from, [entry], { viewer: ctx.actor?.uid })
  const { id, ...message }: Record<string, unknown> = JSON.parse(text)
  const shown = entry.row.id === 0 ? message : { id, ...message }
  const verdict = await inspector(ctx, JSON.stringify(shown))
  if (verdict === 'drop') throw new Failure('ERR_BLOCKED_BY_WEBHOOK')
  if (Object.keys(verdict).length === 0) return data
  const { metadata = {}, ...rest }: { metadata?: { '@injected'?: Injected } } = JSON.parse(data)
  const before = metadata['@injected']
  const injected = { ...before, webhooks: { ...before?.webhooks, ...verdict } }
  return JSON.stringify({ ...rest, metadata: { ...metadata, '@injected': injected } })
}
