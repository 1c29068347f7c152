import type { Actor } from '../../../pipeline/caller.ts'
import { Failure, requireLookedUp } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { withFields } from '../../../pipeline/raw-json.ts'
import { type Entry, type Extra, freshRow } from '../../log/entries/index.ts'
import type { ModerationResult, RuleCheck } from '../../rules/index.ts'
import { type ProfileLoader, serialiseFresh } from '../../views/index.ts'
import { type Content, extraOf, type Outgoing } from './content.ts'
import type { Recipient } from './recipient.ts'

/** Looks at a message before it is stored. What it answers is kept with the message, by name. */
export type Inspector = (
  ctx: Pick<ReadCtx, 'app' | 'caller' | 'now'>,
  /** The message as JSON text; one that is new has no id yet. */
  message: string,
) => Promise<'drop' | Readonly<Record<string, unknown>>>

export interface Moderation {
  /** Asked where the app is gated: nearly none is. */
  readonly inspector?: Inspector
  readonly checkRules: RuleCheck
}

/** A message as its sender sees it. */
interface Said {
  readonly sender: string
  readonly category: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  readonly extra: Extra | undefined
  readonly muid: string | undefined
}

export interface Moderated {
  readonly said: Said
  /** Undefined: no rule has looked at it. */
  readonly result: ModerationResult | undefined
}

/** A new message has no place in the log yet. */
const unplaced = { bucket: 0, key: 0, seq: 0, id: 0 }

/** A step of a send: webhooks drop it or add to it; rules hide it from everybody but its sender. */
export function moderate(
  moderation: Moderation,
  message: Outgoing,
  recipient: Recipient,
): Moderated | Promise<Moderated> {
  const extra = extraOf(message)
  // Most apps neither ask a webhook nor have rules, and most messages have nothing beside their data.
  if (extra === undefined && !isModerated(message.ctx)) {
    return { said: saidIn(message, undefined), result: undefined }
  }
  return moderateMore(moderation, message, recipient, extra)
}

async function moderateMore(
  moderation: Moderation,
  message: Outgoing,
  recipient: Recipient,
  extra: Promise<Extra> | undefined,
): Promise<Moderated> {
  const { ctx, sender, content } = message
  const said = saidIn(message, await extra)
  if (!isModerated(ctx)) return { said, result: undefined }
  const row = freshRow(unplaced, { ...unplaced, at: ctx.now }, said)
  const entry = { row, receiver: recipient.receiver }
  const words = { by: sender.actor, content, entry, profiles: recipient.profiles() }
  const { data, result } = await examine(moderation, ctx, words)
  const marked = result ? withFields(data, { moderation: result.moderation }) : data
  return { said: { ...said, data: marked }, result }
}

function isModerated({ app }: Pick<ReadCtx, 'app'>): boolean {
  return app.gated || app.moderationVersion !== 0
}

function saidIn({ sender, body, content }: Outgoing, extra: Extra | undefined): Said {
  const { category, type, data } = content
  const { uid } = sender
  return { sender: uid, category, type, data: JSON.stringify(data), extra, muid: body.muid }
}

/** What somebody says anew, in a message or in an edit. */
interface Words {
  /** Undefined: the app, whose words no rule looks at. */
  readonly by: Actor | undefined
  readonly content: Content
  /** As it would be stored. */
  readonly entry: Entry
  readonly profiles: ProfileLoader
}

/** What webhooks and rules say to it: its data with what webhooks have put in, or the failure. */
export async function examine(
  { inspector, checkRules }: Moderation,
  ctx: ReadCtx,
  { by, content, entry, profiles }: Words,
): Promise<{ readonly data: string; readonly result: ModerationResult | undefined }> {
  const { row, receiver } = entry
  const asks = ctx.app.gated && inspector
  if (asks) requireLookedUp(ctx)
  const data = asks ? await inspect(inspector, ctx, profiles, entry) : row.data
  // An app that has never moderated pays for nothing but this comparison.
  const result =
    ctx.app.moderationVersion > 0 && by
      ? await checkRules(ctx, { ...content, sender: by.uid, receiver, from: profiles })
      : undefined
  return { data, result }
}

interface Injected {
  readonly webhooks?: Readonly<Record<string, unknown>>
}

async function inspect(
  inspector: Inspector,
  ctx: ReadCtx,
  profiles: ProfileLoader,
  entry: Entry,
): Promise<string> {
  const { data } = entry.row
  const [text = '{}'] = await serialiseFresh(ctx.db, profiles, [entry], {
    viewer: ctx.actor?.uid,
    addresses: ctx.addresses,
  })
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
