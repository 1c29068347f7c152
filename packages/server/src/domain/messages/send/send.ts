import type { messages, NewMessage, threads } from '@chorale/contract/messages'
import type { Batcher } from '../../../database/batcher.ts'
import { badRequest, Failure, requireLookedUp } from '../../../pipeline/failure.ts'
import type { AppendCtx, Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { type RawJson, rawData, rawObject } from '../../../pipeline/raw-json.ts'
import { actorOf } from '../../conversations/index.ts'
import { catchUp } from '../../files/index.ts'
import { type Entry, type EntryFile, freshRow } from '../../log/entries/index.ts'
import { type Appended, findEntry, type NewEntry } from '../../log/index.ts'
import { requireUser } from '../../users/index.ts'
import { serialiseEntries, serialiseFresh, serialiseKnown } from '../../views/index.ts'
import { receiverOfReply } from '../replies.ts'
import { accessMessage } from '../stored/access.ts'
import { append, type Stored } from './append.ts'
import {
  type Content,
  checkContent,
  type Draft,
  type Outgoing,
  saidBy,
  type To,
} from './content.ts'
import { withFiles } from './content-files.ts'
import { authorise } from './delivery.ts'
import { type Moderated, type Moderation, moderate } from './moderation.ts'
import { type Directory, type Recipient, resolveRecipient } from './recipient.ts'

/** What the steps of a send need. */
export interface Sending extends Directory, Moderation {
  readonly batcher: Batcher<NewEntry, Appended>
}

/** The first step. Throws, for each receiver, what is wrong with the message. */
function parse(draft: Draft, to: To): Outgoing | Promise<Outgoing> {
  const { ctx, sender, body, parent } = draft
  draft.content ??= checkContent(ctx.app, body.category, body.type, saidBy(ctx.caller, body.data))
  const { content } = draft
  if (!content.files && content.data.attachments) return parseFiles(draft, to, content)
  return { ctx, sender, body, parent, to, content }
}

async function parseFiles(draft: Draft, to: To, content: Content): Promise<Outgoing> {
  draft.content = await withFiles(draft.ctx, content)
  return { ...draft, to, content: draft.content }
}

/**
 * A message to one receiver, as JSON text. What it must know is asked, and committed, with others; what
 * is known already waits for nothing.
 */
async function send(sending: Sending, draft: Draft, to: To): Promise<string> {
  const message = await parse(draft, to)
  const recipient = await resolveRecipient(sending, message)
  await authorise(message, recipient)
  const moderated = await moderate(sending, message, recipient)
  const stored = await append(sending.batcher, message, recipient, moderated)
  if (message.content.files) await catchUpOnFiles(message, message.content.files, stored)
  return present(message, recipient, moderated, stored)
}

/** Of most messages: none of their files is being checked. */
async function catchUpOnFiles(
  { ctx }: Outgoing,
  files: readonly EntryFile[],
  { conversation, placed: { seq, id, repeated } }: Stored,
): Promise<void> {
  if (repeated || !files.some(({ state }) => state === 'checking')) return
  const { bucket, key } = conversation
  await ctx.inTransaction((inApp) => catchUp(inApp, { bucket, key, seq, id }, files))
}

/** The stored message as the answer has it: a repeat shows what was stored first. */
function present(
  { ctx }: Outgoing,
  recipient: Recipient,
  { said }: Moderated,
  stored: Stored,
): string | Promise<string> {
  const { receiver } = recipient
  const { conversation, placed } = stored
  const view = { viewer: ctx.actor?.uid, addresses: ctx.addresses }
  const entry = { row: freshRow(conversation, placed, said), receiver }
  const found = placed.repeated ? undefined : recipient.foundAfter(placed.seen)
  const text = found && serialiseKnown(ctx.db.appId, found, entry, view)
  return text ?? presentLookedUp(ctx, recipient, entry, stored)
}

async function presentLookedUp(
  ctx: AppendCtx,
  recipient: Recipient,
  { row, receiver }: Entry,
  { conversation, placed: { seq, seen, repeated } }: Stored,
): Promise<string> {
  const before = repeated ? await findEntry(ctx.db, conversation, seq) : undefined
  const serialise = repeated ? serialiseEntries : serialiseFresh
  const view = { viewer: ctx.actor?.uid, addresses: ctx.addresses }
  const entries = [{ row: before ?? row, receiver }]
  const [text] = await serialise(ctx.db, recipient.profilesAfter(seen), entries, view)
  if (text === undefined) throw new Error('A stored message could not be shown.')
  return text
}

const systemUid = 'app_system'

type SendHandlers = Pick<
  Handlers<typeof messages & typeof threads>,
  'sendMessage' | 'sendBotMessage' | 'replyToMessage'
>

export function sendHandlers(sending: Sending): SendHandlers {
  return {
    async sendMessage({ body }, ctx) {
      if (body.parentId !== undefined) {
        requireLookedUp(ctx)
        requireMayReply(ctx)
        return reply(sending, ctx, String(body.parentId), body)
      }
      const sender = { uid: ctx.actor?.uid ?? systemUid, actor: ctx.actor }
      return sendToAll(sending, { ctx, sender, body })
    },

    async sendBotMessage({ params: { uid }, body }, ctx) {
      await requireUser(ctx, uid)
      return sendToAll(sending, { ctx, sender: { uid, actor: undefined }, body })
    },

    async replyToMessage({ params: { id }, body }, ctx) {
      return reply(sending, ctx, id, body)
    },
  }
}

async function reply<T>(
  sending: Sending,
  ctx: AppendCtx,
  id: string,
  body: NewMessage,
): Promise<RawJson<T>> {
  const { uid } = actorOf(ctx)
  const parent = await accessMessage(ctx, id, 'read')
  const to = receiverOfReply(parent, uid, body)
  const data = await send(sending, { ctx, sender: { uid, actor: ctx.actor }, body, parent }, to)
  return rawData(data)
}

/** A role that is denied the call of its own is denied this one. */
function requireMayReply({ actor }: ReadCtx): void {
  if (actor?.restrictedFeatures.includes('createMessageThread')) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'the feature createMessageThread' })
  }
}

/** To one receiver: the message or its failure. To several: the message or its failure for each. */
async function sendToAll<T>(sending: Sending, draft: Draft): Promise<RawJson<T>> {
  const { receiver, receiverType, multipleReceivers: { uids = [], guids = [] } = {} } = draft.body
  const several = uids.length + guids.length > 0
  if (receiver === undefined && !several) throw badRequest('receiver', 'This field is required.')
  if (receiver !== undefined && receiverType === undefined) {
    throw badRequest('receiverType', 'This field is required.')
  }
  const first =
    receiver !== undefined && receiverType ? { type: receiverType, id: receiver } : undefined
  if (first && !several) {
    return rawData(await send(sending, draft, first))
  }
  // Refusals are part of the answer: they are not decided again.
  requireLookedUp(draft.ctx)
  const each = async (type: To['type'], named: readonly string[]) => {
    const ids = new Set([...(first?.type === type ? [first.id] : []), ...named])
    if (ids.size === 0) return undefined
    const outcomes = Array.from(ids, (id) => outcome(sending, draft, { type, id }))
    return rawObject({}, Object.fromEntries(await Promise.all(outcomes)))
  }
  const data = rawObject({}, { uids: await each('user', uids), guids: await each('group', guids) })
  return rawData(data)
}

/** The receiver and, as JSON text, what became of the message to them. */
async function outcome(sending: Sending, draft: Draft, to: To): Promise<[string, string]> {
  try {
    return [to.id, await send(sending, draft, to)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [to.id, JSON.stringify({ success: false, error: error.brief() })]
  }
}
