import type { messages, NewMessage, threads } from '@chorale/contract/messages'
import type { Batcher } from '../../../database/batcher.ts'
import type { Db } from '../../../database/db.ts'
import { openLoader } from '../../../database/loader.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { Actor } from '../../../pipeline/caller.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { AppendCtx, Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { RawJson, rawObject } from '../../../pipeline/raw-json.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { actorOf } from '../../conversations/index.ts'
import { type Entry, freshRow } from '../../log/entries/index.ts'
import { type Appended, findEntry, type NewEntry, type Placed } from '../../log/index.ts'
import { ensureUserConversation } from '../../log/participants/index.ts'
import type { Judge } from '../../rules/index.ts'
import { requireUser, unseenAmong } from '../../users/index.ts'
import {
  type ProfileLoader,
  prefetchProfiles,
  serialiseEntries,
  serialiseFresh,
  withCachedProfiles,
} from '../../views/index.ts'
import { receiverOfReply } from '../replies.ts'
import { accessMessage } from '../stored/access.ts'
import { subscribeByReply } from '../threads.sql.ts'
import { type Content, checkContent, saidBy } from './content.ts'
import {
  requireMayReachGroup,
  requireMayReachUser,
  requireMayRing,
  requireMaySay,
  type To,
} from './delivery.ts'
import { type Inspect, inspected } from './inspection.ts'
import { requireQuotable } from './quotes.ts'
import {
  findGroupTargets,
  findUserTargets,
  groupQuestionName,
  userQuestionName,
} from './targets.sql.ts'
import { moderated, storedAs } from './withholding.ts'

const systemUid = 'app_system'
const atOnce = { concurrency: 1, maxPerBatch: 200 }

export interface Sending {
  readonly db: Db
  readonly batcher: Batcher<NewEntry, Appended>
  readonly people: (appId: string) => ProfileLoader
  readonly inspect?: Inspect
  readonly judge: Judge
}

type SendHandlers = Pick<
  Handlers<typeof messages & typeof threads>,
  'sendMessage' | 'sendBotMessage' | 'replyToMessage'
>

/** The hot way: what a send must know is asked together with others, and committed together. */
export function sendHandlers({ db, batcher, people, inspect, judge }: Sending): SendHandlers {
  const userTarget = openLoader({
    ...atOnce,
    fetch: (questions) => findUserTargets(db, questions),
    nameOf: userQuestionName,
  })
  const groupTarget = openLoader({
    ...atOnce,
    fetch: (questions) => findGroupTargets(db, questions),
    nameOf: groupQuestionName,
  })

  /** Where it goes, if the rules let it. */
  async function reach(
    ctx: AppendCtx,
    sender: Sender,
    content: Content,
    to: To,
    parent: Entry | undefined,
  ): Promise<{ conversation: ConversationKey; receiver: Receiver; from: ProfileLoader }> {
    const { appId } = ctx.db
    const { uid } = sender
    const viewer = ctx.actor?.uid
    const { actor } = sender
    const threaded = parent !== undefined
    const act = threaded ? 'reply' : 'message'
    const put = actor && ({ act, actor, to, content, threaded } as const)
    if (put) requireMaySay(put)
    if (to.type === 'group') {
      const soon = { uids: [uid, ...content.mentions], guids: [to.id], blocks: false }
      const from = prefetchProfiles(people(appId), soon, viewer)
      const target = await groupTarget.load({ appId, sender: uid, guid: to.id })
      if (!target) throw new Failure('ERR_GUID_NOT_FOUND', { guid: to.id })
      if (put) {
        requireMayReachGroup(put, target)
        await requireMayRing(ctx.db, put, target)
      }
      return { conversation: target, receiver: { kind: 'group', guid: to.id }, from }
    }
    if (to.id === uid) throw badRequest('receiver', 'Nobody writes to themselves.')
    const target = await userTarget.load({ appId, sender: uid, receiver: to.id })
    if (!target) throw new Failure('ERR_UID_NOT_FOUND', { uid: to.id })
    if (put) requireMayReachUser(put, target)
    const { bucket, key } = target
    const conversation =
      bucket === null || key === null ? await startConversation(ctx, uid, to.id) : { bucket, key }
    const known = { uids: [uid, to.id], guids: [], blocks: false }
    const found = Promise.resolve({ users: target.both, groups: [] })
    const from = withCachedProfiles(people(appId), known, viewer, found)
    return { conversation, receiver: { kind: 'user', uids: [uid, to.id] }, from }
  }

  /** The stored message as JSON text. */
  async function send(
    ctx: AppendCtx,
    sender: Sender,
    { body, contentOf }: Draft,
    to: To,
    parent?: Entry,
  ): Promise<string> {
    const content = contentOf()
    const { conversation, receiver, from } = await reach(ctx, sender, content, to, parent)
    const { bucket, key } = conversation
    if (parent && parent.row.key !== key) {
      throw new Failure('ERR_WRONG_MESSAGE_THREAD', { id: parent.row.id })
    }
    if (body.quotedMessageId !== undefined) {
      await requireQuotable(ctx, conversation, Number(body.quotedMessageId))
    }
    // Asked only of a role that may not see everybody.
    const unseen = await unseenAmong({ db: ctx.db, actor: sender.actor }, content.mentions)
    const extra = extraOf(body, content, parent, unseen)
    const { category, type } = content
    const rowAt = (placed: Pick<Placed, 'seq' | 'id' | 'at'>, text: string) =>
      freshRow(conversation, placed, {
        sender: sender.uid,
        category,
        type,
        data: text,
        muid: body.muid,
        extra,
      })
    const plain = JSON.stringify(content.data)
    const inspector = inspect?.(ctx.db.appId)
    const unplaced = { seq: 0, id: 0, at: ctx.now }
    const passed = inspector
      ? await inspected(inspector, ctx, from, { row: rowAt(unplaced, plain), receiver })
      : plain
    // An app that has never moderated pays for nothing but this comparison.
    const judgement =
      ctx.app.moderationVersion > 0 && sender.actor
        ? await judge(ctx, { ...content, sender: sender.uid, receiver, from })
        : undefined
    const data = judgement ? moderated(passed, judgement) : passed
    const said = {
      data,
      extra,
      counts: !parent && counts(content),
      shows: shows(ctx, content, parent !== undefined),
    }
    // First, so that no reply is stored whose sender does not follow the thread.
    if (parent) await subscribeByReply(ctx.db, parent.row, sender.uid)
    const placed = await batcher.add({
      bucket,
      key,
      appId: ctx.db.appId,
      sender: sender.uid,
      category,
      type,
      ...storedAs(said, judgement),
      muid: body.muid,
      parentSeq: parent?.row.seq,
    })
    const stored = placed.repeated ? await findEntry(ctx.db, conversation, placed.seq) : undefined
    const row = stored ?? rowAt(placed, data)
    const serialiseIt = placed.repeated ? serialiseEntries : serialiseFresh
    const [text] = await serialiseIt(ctx.db, from, [{ row, receiver }], { viewer: ctx.actor?.uid })
    if (text === undefined) throw new Error('A stored message could not be shown.')
    return text
  }

  async function reply<T>(ctx: AppendCtx, id: string, body: NewMessage): Promise<RawJson<T>> {
    const { uid } = actorOf(ctx)
    const parent = await accessMessage(ctx, id, 'read')
    const to = receiverOfReply(parent, uid, body)
    const data = await send(ctx, { uid, actor: ctx.actor }, draftOf(ctx, body), to, parent)
    return new RawJson(rawObject({}, { data }))
  }

  return {
    async sendMessage({ body: { parentId, ...body } }, ctx) {
      if (parentId !== undefined) {
        requireMayReply(ctx)
        return reply(ctx, String(parentId), body)
      }
      const sender = { uid: ctx.actor?.uid ?? systemUid, actor: ctx.actor }
      const draft = draftOf(ctx, body)
      return sendToAll(body, (to) => send(ctx, sender, draft, to))
    },

    async sendBotMessage({ params: { uid }, body }, ctx) {
      await requireUser(ctx, uid)
      const draft = draftOf(ctx, body)
      return sendToAll(body, (to) => send(ctx, { uid, actor: undefined }, draft, to))
    },

    async replyToMessage({ params: { id }, body }, ctx) {
      return reply(ctx, id, body)
    },
  }
}

/** A role that is denied the call of its own is denied this one. */
function requireMayReply({ actor }: ReadCtx): void {
  if (actor?.restrictedFeatures.includes('createMessageThread')) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'the feature createMessageThread' })
  }
}

function startConversation(ctx: AppendCtx, a: string, b: string): Promise<ConversationKey> {
  return ctx.inTransaction(async ({ db, outbox, now }) => {
    const { bucket, key, made } = await ensureUserConversation(db, a, b, now)
    if (made) await outbox.append('conversation.started', { bucket, key, uids: [a, b] })
    return { bucket, key }
  })
}

interface Draft {
  readonly body: NewMessage
  /** Throws for each receiver what is wrong with it. */
  readonly contentOf: () => Content
}

/** Checked once, however many receivers it has; the judge knows it by its data. */
function draftOf({ app, caller }: ReadCtx, body: NewMessage): Draft {
  let content: Content | undefined
  return {
    body,
    contentOf() {
      content ??= checkContent(app, body.category, body.type, saidBy(caller, body.data))
      return content
    },
  }
}

interface Sender {
  readonly uid: string
  /** Undefined: the app sends, and no rule of a user applies. */
  readonly actor: Actor | undefined
}

/** To one receiver: the message or its failure. To several: the message or its failure for each. */
async function sendToAll<T>(
  body: NewMessage,
  send: (to: To) => Promise<string>,
): Promise<RawJson<T>> {
  const { receiver, receiverType, multipleReceivers: { uids = [], guids = [] } = {} } = body
  const several = uids.length + guids.length > 0
  if (receiver === undefined && !several) throw badRequest('receiver', 'This field is required.')
  if (receiver !== undefined && receiverType === undefined) {
    throw badRequest('receiverType', 'This field is required.')
  }
  const first =
    receiver !== undefined && receiverType ? { type: receiverType, id: receiver } : undefined
  if (first && !several) return new RawJson(rawObject({}, { data: await send(first) }))
  const each = async (type: To['type'], named: readonly string[]) => {
    const ids = new Set([...(first?.type === type ? [first.id] : []), ...named])
    if (ids.size === 0) return undefined
    const outcomes = Array.from(ids, (id) => outcome(send, { type, id }))
    return rawObject({}, Object.fromEntries(await Promise.all(outcomes)))
  }
  const data = rawObject({}, { uids: await each('user', uids), guids: await each('group', guids) })
  return new RawJson(rawObject({}, { data }))
}

/** The receiver and, as JSON text, what became of the message to them. */
async function outcome(send: (to: To) => Promise<string>, to: To): Promise<[string, string]> {
  try {
    return [to.id, await send(to)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [to.id, JSON.stringify({ success: false, error: error.brief() })]
  }
}

/** What stands beside the data: most messages have none of it. */
function extraOf(
  body: NewMessage,
  { mentions }: Content,
  parent: Entry | undefined,
  unseen: readonly string[],
) {
  const { tags = [], quotedMessageId: quoted } = body
  if (tags.length + mentions.length === 0 && quoted === undefined && !parent) return undefined
  return {
    ...(tags.length > 0 && { tags }),
    ...(mentions.length > 0 && { mentions }),
    ...(unseen.length > 0 && { unseen }),
    ...(quoted !== undefined && { quoted: Number(quoted) }),
    ...(parent && { parent: parent.row.id }),
  }
}

/** Custom messages raise unread counts only when they say so, calls never. */
function counts({ category, data }: Content): boolean {
  if (category === 'call') return false
  if (category !== 'custom') return true
  const metadata = data.metadata as { incrementUnreadCount?: unknown } | undefined
  return metadata?.incrementUnreadCount === true
}

function shows({ app }: ReadCtx, { category, data }: Content, reply: boolean): boolean {
  if (reply && app.settings['core.conversations.updateOnReplies'] === false) return false
  if (category === 'call') return app.settings['core.conversations.updateOnCallActivity'] === true
  if (category !== 'custom') return true
  return (
    app.settings['core.conversations.updateOnCustomMessage'] !== false &&
    data.updateConversation !== false
  )
}
