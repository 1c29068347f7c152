import { Failure } from '../../pipeline/failure.ts'
import type { Ctx } from '../../pipeline/handler.ts'
import { type Entry, type People, printFresh } from '../conversations/index.ts'

/** Looks at a message before it is stored. What it answers is kept with the message, by name. */
export type Inspector = (
  ctx: Ctx,
  /** The message as JSON text; it has no id yet. */
  message: string,
) => Promise<'drop' | Readonly<Record<string, unknown>>>

/** Undefined, for nearly every app: nobody looks. */
export type Inspect = (appId: string) => Inspector | undefined

/** The data of the message with what inspectors have put in, or the failure. */
export async function inspected(
  inspector: Inspector,
  ctx: Ctx,
  from: People,
  entry: Entry,
): Promise<string> {
  const { data } = entry.row
  const [text = '{}'] = await printFresh(ctx.db, from, [entry], { viewer: ctx.actor?.uid })
  const { id: _, ...message }: Record<string, unknown> = JSON.parse(text)
  const verdict = await inspector(ctx, JSON.stringify(message))
  if (verdict === 'drop') throw new Failure('ERR_BLOCKED_BY_WEBHOOK')
  if (Object.keys(verdict).length === 0) return data
  const { metadata, ...rest }: { metadata?: object } = JSON.parse(data)
  const injected = { '@injected': { webhooks: verdict } }
  return JSON.stringify({ ...rest, metadata: { ...metadata, ...injected } })
}
