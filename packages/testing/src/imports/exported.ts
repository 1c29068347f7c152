import type { Api } from '@chorale/contract/api'
import type { Message } from '@chorale/contract/conversations'
import type { ImportedMessage } from '@chorale/contract/imports'
import type { Client } from '@chorale/contract/operation'
import { guids, uids } from './random-history.ts'

/** All messages of an app, oldest first. */
export async function messagesOf(full: Client<Api>, limit = 100): Promise<Message[]> {
  const all: Message[] = []
  for (;;) {
    const last = all.at(-1)
    const from = last ? { id: last.id } : { sentAt: 1 }
    const { data } = await full.listMessages({
      query: { affix: 'append', ...from, limit, withTags: true },
    })
    // Nothing but messages is listed without `count`.
    all.push(...(data as Message[]))
    if (data.length < limit) return all
  }
}

/** Messages with their reactions, as an import takes them. */
export async function exportOf(full: Client<Api>): Promise<ImportedMessage[]> {
  const items: ImportedMessage[] = []
  for (const message of await messagesOf(full)) {
    const { receipts: _, conversationId: __, replyCount: ___, data, ...said } = message
    const { quotedMessage: ____, category, ...rest } = said
    const reactions = data.reactions ? await reactionsOf(full, message.id) : []
    items.push({
      ...rest,
      muid: rest.muid ?? rest.id,
      // As lists have it.
      category: category as 'message',
      data,
      reactions: reactions.map(({ uid, reaction, reactedAt }) => ({ uid, reaction, reactedAt })),
    })
  }
  return items
}

async function reactionsOf(full: Client<Api>, id: string) {
  const { data } = await full.listReactions({ params: { id }, query: { limit: 100 } })
  return data
}

/** Everything that users see of their conversations, without what changes by itself. */
export async function seenIn(full: Client<Api>): Promise<unknown> {
  const seen: unknown[] = []
  for (const onBehalfOf of uids) {
    const { data } = await full.listConversations({ onBehalfOf, query: { withTags: true } })
    seen.push(data.map((one) => [onBehalfOf, one.conversationId, one.unreadMessageCount]).sort())
    for (const uid of uids.filter((one) => one !== onBehalfOf)) {
      const query = { limit: 1000 }
      const page = await full.listUserMessages({ params: { uid }, onBehalfOf, query })
      seen.push(page.data.map(plain))
    }
    for (const guid of guids) {
      const query = { limit: 1000 }
      const page = await full.listGroupMessages({ params: { guid }, onBehalfOf, query })
      seen.push(page.data.map(plain))
    }
  }
  return seen
}

/** What is seen of one message by its id: itself, its thread, who reacted and who has read it. */
export async function seenOf(full: Client<Api>, { id }: Message): Promise<unknown> {
  const params = { id }
  const message = await full.getMessage({ params })
  const thread = await full.listReplies({ params, query: { limit: 100 } })
  const reactions = await reactionsOf(full, id)
  return {
    message: plain(message.data),
    thread: thread.data.map(plain),
    reactions: reactions.map(({ uid, reaction, reactedAt }) => [uid, reaction, reactedAt]),
  }
}

/** Without the users and groups that messages show, who are compared elsewhere. */
function plain(message: object): unknown {
  return JSON.parse(
    JSON.stringify(message, (name, value) => (name === 'entities' ? onlyOf(value) : value)),
  )
}

function onlyOf({ on }: { readonly on?: { readonly entity: object } }): unknown {
  const { uid, id } = Object(on?.entity)
  return { on: uid ?? id }
}
