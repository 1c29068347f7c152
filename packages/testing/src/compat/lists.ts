import { expect } from 'vitest'
import { type Context, heard, type Snippets } from './context.ts'

const textsOf = (rows: readonly object[]) =>
  rows.flatMap((row) => ('text' in row ? [String(row.text)] : []))

const builderIn = ({ CometChat }: Context) =>
  new CometChat.MessagesRequestBuilder().setGUID('list').setLimit(30)

export const lists: Snippets = {
  'read history back from the newest, page by page': async (context) => {
    const { CometChat, app, sayIn } = context
    await app.given.group('list', { owner: 'ann', members: { participants: ['bob'] } })
    for (const text of ['one', 'two', 'three', 'four', 'five']) await sayIn('list', 'bob', text)
    const request = new CometChat.MessagesRequestBuilder()
      .setGUID('list')
      .setCategories([CometChat.CATEGORY_MESSAGE])
      .setTypes([CometChat.MESSAGE_TYPE.TEXT])
      .setLimit(2)
      .build()
    expect(request.getLimit()).toBe(2)
    expect(textsOf(await request.fetchPrevious())).toEqual(['four', 'five'])
    expect(textsOf(await request.fetchPrevious())).toEqual(['two', 'three'])
    expect(textsOf(await request.fetchPrevious())).toEqual(['one'])
    expect(await request.fetchPrevious()).toEqual([])
  },

  'read before and after a message or a time': async (context) => {
    const all = await builderIn(context).setCategory('message').setType('text').build()
    const rows = await all.fetchPrevious()
    const three = rows[2]?.getId() ?? 0
    const beside = builderIn(context).setCategory('message').setMessageId(three).build()
    expect(textsOf(await beside.fetchPrevious())).toEqual(['one', 'two'])
    expect(textsOf(await beside.fetchNext())).toEqual(['four', 'five'])
    expect(await beside.fetchNext()).toEqual([])
    const later = (rows[4]?.getSentAt() ?? 0) + 10
    const before = builderIn(context).setCategory('message').setTimestamp(later).build()
    expect(textsOf(await before.fetchPrevious()).length).toBe(5)
  },

  'search, and read what is unread, deleted, tagged': async (context) => {
    const { CometChat } = context
    const find = () => builderIn(context).setSearchKeyword('three').build().fetchPrevious()
    // The index follows a moment behind.
    await heard(async () => textsOf(await find()).length > 0)
    expect(textsOf(await find())).toEqual(['three'])
    const unread = builderIn(context).setCategory('message').setUnread(true).build()
    expect(textsOf(await unread.fetchPrevious()).length).toBe(5)
    const undelivered = builderIn(context).setCategory('message').setUndelivered(true).build()
    expect(textsOf(await undelivered.fetchPrevious()).length).toBe(5)
    const tagged = new CometChat.TextMessage('list', 'six', CometChat.RECEIVER_TYPE.GROUP)
    tagged.setTags(['pinned'])
    const sent = await CometChat.sendMessage(tagged)
    const byTag = builderIn(context).setTags(['pinned']).withTags(true).build()
    expect((await byTag.fetchPrevious()).map((one) => one.getTags())).toEqual([['pinned']])
    await CometChat.deleteMessage(sent.getId())
    const shown = builderIn(context)
      .setCategory('message')
      .hideDeletedMessages(true)
      .hideMessagesFromBlockedUsers(true)
      .build()
    const rows = await shown.fetchPrevious()
    expect(rows.map((one) => one.getId())).not.toContain(sent.getId())
  },

  'read what has links, attachments, reactions or mentions': async (context) => {
    const { CometChat } = context
    const { GROUP } = CometChat.RECEIVER_TYPE
    const linked = await CometChat.sendMessage(
      new CometChat.TextMessage('list', 'see https://chat.example for <@uid:bob>', GROUP),
    )
    const picture = new CometChat.MediaMessage('list', '', CometChat.MESSAGE_TYPE.IMAGE, GROUP)
    const file = { name: 'a', extension: 'png', mimeType: 'image/png' }
    picture.setAttachment(
      new CometChat.Attachment({ ...file, url: 'https://pictures.example/a.png' }),
    )
    const shown = await CometChat.sendMediaMessage(picture)
    await CometChat.addReaction(shown.getId(), '👀')
    const ids = async (request: { fetchPrevious(): Promise<{ id: number }[]> }) =>
      (await request.fetchPrevious()).map(({ id }) => id)
    expect(await ids(builderIn(context).hasLinks(true).build())).toEqual([linked.getId()])
    expect(await ids(builderIn(context).hasMentions(true).build())).toEqual([linked.getId()])
    expect(await ids(builderIn(context).setMentionedUIDs(['bob']).build())).toEqual([
      linked.getId(),
    ])
    expect(await ids(builderIn(context).hasAttachments(true).build())).toEqual([shown.getId()])
    const { IMAGE } = CometChat.AttachmentType
    expect(await ids(builderIn(context).setAttachmentTypes([IMAGE]).build())).toEqual([
      shown.getId(),
    ])
    expect(await ids(builderIn(context).hasReactions(true).build())).toEqual([shown.getId()])
  },

  'read a conversation with a user, and all at once': async ({ CometChat }) => {
    const withBob = new CometChat.MessagesRequestBuilder().setUID('bob').setLimit(100).build()
    const rows = await withBob.fetchPrevious()
    expect(new Set(rows.map((one) => one.getConversationId()))).toEqual(new Set(['ann_user_bob']))
    const all = new CometChat.MessagesRequestBuilder().setLimit(100).build()
    const conversations = new Set((await all.fetchPrevious()).map((one) => one.getConversationId()))
    expect(conversations).toContain('ann_user_bob')
    expect(conversations).toContain('group_list')
  },

  'action messages are in the history of a group': async (context) => {
    const { CometChat } = context
    const request = new CometChat.MessagesRequestBuilder()
      .setGUID('team')
      .setCategory(CometChat.CATEGORY_ACTION)
      .build()
    const actions = await request.fetchPrevious()
    expect(actions.length).toBeGreaterThan(0)
    expect(actions[0]).toBeInstanceOf(CometChat.Action)
  },
}
