import type { threads } from '@chorale/contract/messages'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { RawJson, rawList, rawObject, withFields } from '../../pipeline/raw-json.ts'
import { actorOf } from '../conversations/index.ts'
import { profilesIn, serialiseEntries } from '../views/index.ts'
import { placeOf, windowMeta } from './history/windows.ts'
import { requireParent } from './replies.ts'
import { accessMessage } from './stored/access.ts'
import { answerWith } from './stored/show-message.ts'
import { touched } from './stored/touched.ts'
import { listThreads, setSubscription, type ThreadRow } from './threads.sql.ts'

type ThreadHandlers = Omit<Handlers<typeof threads>, 'replyToMessage'>

export const threadHandlers: ThreadHandlers = {
  async listThreads({ query }, ctx) {
    const place = placeOf(query, 'prepend')
    const rows = await listThreads(ctx.db, ctx.actor?.uid, place)
    const newestFirst = place.affix === 'append' ? rows.toReversed() : rows
    const meta = windowMeta(place, rows.length, rows.at(-1)?.lastReply)
    return new RawJson(rawObject({ meta }, { data: await printed(ctx, newestFirst) }))
  },

  async subscribeToThread({ params: { id } }, ctx) {
    const { uid } = actorOf(ctx)
    const entry = await accessMessage(ctx, id, 'read')
    requireParent(entry)
    if (await setSubscription(ctx.db, entry.row, uid, true)) {
      await ctx.outbox.append('thread.subscribed', touched(entry.row, uid))
    }
    return answerWith(ctx, entry)
  },

  async unsubscribeFromThread({ params: { id } }, ctx) {
    const { uid } = actorOf(ctx)
    const entry = await accessMessage(ctx, id, 'read')
    if (await setSubscription(ctx.db, entry.row, uid, false)) {
      await ctx.outbox.append('thread.unsubscribed', touched(entry.row, uid))
    }
    return answerWith(ctx, entry)
  },
}

async function printed(ctx: ReadCtx, rows: readonly ThreadRow[]): Promise<string> {
  const parents = rows.map(({ parent }) => parent)
  const view = { viewer: ctx.actor?.uid, addresses: ctx.addresses }
  const messages = await serialiseEntries(ctx.db, profilesIn(ctx.db), parents, view)
  return rawList(
    messages.map((message, place) => {
      const unread = rows[place]?.unread ?? undefined
      return unread === undefined ? message : withFields(message, { unreadRepliesCount: unread })
    }),
  )
}
