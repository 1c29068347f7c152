import type { Message } from '@chorale/contract/conversations'
import type { messages, NewMessage } from '@chorale/contract/messages'
import type { Db } from '../../database/app-db.ts'
import type { Lane } from '../../database/lane.ts'
import { openLoader } from '../../database/loader.ts'
import type { Actor } from '../../pipeline/caller.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import {
  type Appended,
  type ConversationKey,
  ensureUserConversation,
  findEntry,
  type NewEntry,
  type Receiver,
  showEntries,
} from '../conversations/index.ts'
import { requireUser } from '../users/index.ts'
import { type Content, checkContent } from './content.ts'
import { requireMayReachGroup, requireMayReachUser, requireMaySend } from './delivery.ts'
import {
  findGroupTargets,
  findUserTargets,
  groupQuestionName,
  userQuestionName,
} from './targets.sql.ts'

const systemUid = 'app_system'
const atOnce = { concurrency: 2, mostPerBatch: 100 }

export interface Sending {
  readonly db: Db
  readonly lane: Lane<NewEntry, Appended>
}

type SendHandlers = Pick<Handlers<typeof messages>, 'sendMessage' | 'sendBotMessage'>

/** The hot way: what a send must know is asked together with others, and committed together. */
export function sendHandlers({ db, lane }: Sending): SendHandlers {
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
    ctx: Ctx,
    sender: Sender,
    content: Content,
    to: To,
  ): Promise<{ conversation: ConversationKey; receiver: Receiver }> {
    const { appId } = ctx.db
    const { uid } = sender
    if (sender.actor) requireMaySend(sender.actor, content, to.type)
    if (to.type === 'group') {
      const target = await groupTarget.load({ appId, sender: uid, guid: to.id })
      if (!target) throw new Failure('ERR_GUID_NOT_FOUND', { guid: to.id })
      if (sender.actor) requireMayReachGroup(sender.actor, to.id, target, false)
      return { conversation: target, receiver: { kind: 'group', guid: to.id } }
    }
    if (to.id === uid) throw badRequest('receiver', 'Nobody writes to themselves.')
    const target = await userTarget.load({ appId, sender: uid, receiver: to.id })
    if (!target) throw new Failure('ERR_UID_NOT_FOUND', { uid: to.id })
    if (sender.actor) requireMayReachUser(sender.actor, to.id, target)
    const { bucket, key } = target
    const conversation =
      bucket === null || key === null
        ? await ensureUserConversation(ctx.db, uid, to.id, ctx.now)
        : { bucket, key }
    return { conversation, receiver: { kind: 'user', uids: [uid, to.id] } }
  }

  async function send(ctx: Ctx, sender: Sender, body: NewMessage, to: To): Promise<Message> {
    const content = checkContent(body.category, body.type, body.data)
    const { conversation, receiver } = await reach(ctx, sender, content, to)
    const { bucket, key } = conversation
    const extra = extraOf(body, content)
    const placed = await lane.add({
      bucket,
      key,
      appId: ctx.db.appId,
      sender: sender.uid,
      muid: body.muid,
      category: content.category,
      type: content.type,
      data: JSON.stringify(content.data),
      extra: extra && JSON.stringify(extra),
      counts: counts(content),
      shows: shows(ctx, content),
    })
    const row = placed.repeated
      ? await findEntry(ctx.db, conversation, placed.seq)
      : {
          id: placed.id,
          sender: sender.uid,
          category: content.category,
          type: content.type,
          muid: body.muid ?? null,
          data: content.data,
          extra: extra ?? null,
          sentAt: placed.at,
          updatedAt: placed.at,
          editedAt: null,
          deletedAt: null,
        }
    const [message] = row ? await showEntries(ctx, [row], receiver) : []
    if (!message) throw new Error('A stored message could not be shown.')
    return message
  }

  return {
    async sendMessage({ body }, ctx) {
      const sender = { uid: ctx.actor?.uid ?? systemUid, actor: ctx.actor }
      return { data: await sendToAll(body, (to) => send(ctx, sender, body, to)) }
    },

    async sendBotMessage({ params: { uid }, body }, ctx) {
      await requireUser(ctx, uid)
      return { data: await sendToAll(body, (to) => send(ctx, { uid, actor: undefined }, body, to)) }
    },
  }
}

interface Sender {
  readonly uid: string
  /** Undefined: the app sends, and no rule of a user applies. */
  readonly actor: Actor | undefined
}

interface To {
  readonly type: 'user' | 'group'
  readonly id: string
}

/** To one receiver: the message or its failure. To several: an outcome each. */
async function sendToAll(body: NewMessage, send: (to: To) => Promise<Message>) {
  const { receiver, receiverType, multipleReceivers } = body
  if (multipleReceivers === undefined) {
    if (receiver === undefined) throw badRequest('receiver', 'This field is required.')
    if (receiverType === undefined) throw badRequest('receiverType', 'This field is required.')
    return send({ type: receiverType, id: receiver })
  }
  const { uids = [], guids = [] } = multipleReceivers
  if (uids.length + guids.length === 0) {
    throw badRequest('multipleReceivers', 'Name at least one receiver.')
  }
  const each = async (type: To['type'], ids: readonly string[]) =>
    Object.fromEntries(
      await Promise.all([...new Set(ids)].map((id) => outcome(send, { type, id }))),
    )
  return {
    ...(uids.length > 0 && { uids: await each('user', uids) }),
    ...(guids.length > 0 && { guids: await each('group', guids) }),
  }
}

async function outcome(send: (to: To) => Promise<Message>, to: To) {
  try {
    return [to.id, { success: true, data: await send(to) }] as const
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [to.id, { success: false, error: error.brief() }] as const
  }
}

/** What stands beside the data: most messages have none of it. */
function extraOf(body: NewMessage, { mentions }: Content) {
  const tags = body.tags?.length ? body.tags : undefined
  if (!tags && mentions.length === 0) return undefined
  return { ...(tags && { tags }), ...(mentions.length > 0 && { mentions }) }
}

/** Custom messages raise unread counts only when they say so. */
function counts({ category, data }: Content): boolean {
  if (category !== 'custom') return true
  const metadata = data.metadata as { incrementUnreadCount?: unknown } | undefined
  return metadata?.incrementUnreadCount === true
}

function shows({ app }: Ctx, { category, data }: Content): boolean {
  if (category !== 'custom') return true
  return (
    app.settings['core.conversations.updateOnCustomMessage'] !== false &&
    data.updateConversation !== false
  )
}
