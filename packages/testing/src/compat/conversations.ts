import { expect } from 'vitest'
import type { Context, Snippets } from './context.ts'

const conversationsIn = async ({ CometChat }: Context) => {
  const rows = await new CometChat.ConversationsRequestBuilder().setLimit(30).build().fetchNext()
  return new Map(rows.map((row) => [row.getConversationId(), row]))
}

export const conversations: Snippets = {
  'list conversations': async (context) => {
    const { CometChat, say } = context
    await say('cara', 'ann', 'are you there?')
    const request = new CometChat.ConversationsRequestBuilder().setLimit(1).build()
    expect(request.getLimit()).toBe(1)
    const [first] = await request.fetchNext()
    expect(first).toBeInstanceOf(CometChat.Conversation)
    expect(first?.getConversationId()).toBe('ann_user_cara')
    expect(first?.getConversationType()).toBe(CometChat.RECEIVER_TYPE.USER)
    expect(first?.getConversationWith()).toMatchObject({ uid: 'cara', name: 'CARA' })
    expect(first?.getLastMessage()).toMatchObject({ text: 'are you there?' })
    expect(first?.getUnreadMessageCount()).toBe(1)
    const [second] = await request.fetchNext()
    expect(second?.getConversationId()).not.toBe('ann_user_cara')
  },

  'list conversations by kind, words, tags and what is unread': async ({ CometChat }) => {
    const builder = () => new CometChat.ConversationsRequestBuilder().setLimit(30)
    const ids = async (request: { fetchNext(): Promise<{ conversationId: string }[]> }) =>
      (await request.fetchNext()).map(({ conversationId }) => conversationId)
    const ofGroups = await ids(builder().setConversationType('group').build())
    expect(ofGroups.every((id) => id.startsWith('group_'))).toBe(true)
    expect(await ids(builder().setSearchKeyword('cara').build())).toEqual(['ann_user_cara'])
    expect(await ids(builder().setUnread(true).build())).toContain('ann_user_cara')
    await CometChat.tagConversation('cara', CometChat.RECEIVER_TYPE.USER, ['archived'])
    const [tagged] = await builder().setTags(['archived']).withTags(true).build().fetchNext()
    expect(tagged?.getTags()).toEqual(['archived'])
    expect(await ids(builder().setGroupTags(['work']).build())).toEqual(['group_team'])
    expect(await ids(builder().setUserTags(['helper']).build())).toEqual([])
    const [team] = await builder()
      .setConversationType('group')
      .setSearchKeyword('The team')
      .withUserAndGroupTags(true)
      .build()
      .fetchNext()
    expect(team?.getConversationWith()).toMatchObject({ guid: 'team', tags: ['work'] })
    const withBlocked = builder().setIncludeBlockedUsers(true).setWithBlockedInfo(true)
    expect(await ids(withBlocked.build())).toContain('ann_user_bob')
  },

  'get one conversation, and that of a message': async ({ CometChat, say }) => {
    const conversation = await CometChat.getConversation('bob', CometChat.RECEIVER_TYPE.USER)
    expect(conversation.getConversationId()).toBe('ann_user_bob')
    const group = await CometChat.getConversation('team', CometChat.RECEIVER_TYPE.GROUP)
    expect(group.getConversationWith()).toBeInstanceOf(CometChat.Group)
    const message = await CometChat.getMessageDetails(await say('bob', 'ann', 'news'))
    const same = await CometChat.CometChatHelper.getConversationFromMessage(message)
    expect(same.getConversationWith()).toMatchObject({ uid: 'bob' })
    expect(same.getLastMessage()).toBe(message)
  },

  'count what is unread': async (context) => {
    const { CometChat, sayIn } = context
    await sayIn('team', 'bob', 'unread')
    const all = await CometChat.getUnreadMessageCount()
    const rows = await conversationsIn(context)
    expect(all.users.cara).toBe(1)
    expect(all.groups.team).toBe(rows.get('group_team')?.getUnreadMessageCount())
    expect(await CometChat.getUnreadMessageCountForAllUsers()).toEqual(all.users)
    expect(await CometChat.getUnreadMessageCountForAllGroups()).toEqual(all.groups)
    expect(await CometChat.getUnreadMessageCountForUser('cara')).toEqual({ cara: 1 })
    expect(await CometChat.getUnreadMessageCountForUser('dan')).toEqual({ dan: 0 })
    const team = all.groups.team ?? 0
    expect(await CometChat.getUnreadMessageCountForGroup('team')).toEqual({ team })
  },

  'mark messages as delivered and read': async ({ CometChat, say }) => {
    const first = await CometChat.getMessageDetails(await say('dan', 'ann', 'first'))
    const second = await CometChat.getMessageDetails(await say('dan', 'ann', 'second'))
    await CometChat.markAsDelivered(second)
    await CometChat.markAsRead(first)
    expect(await CometChat.getUnreadMessageCountForUser('dan')).toEqual({ dan: 1 })
    const { USER } = CometChat.RECEIVER_TYPE
    await CometChat.markAsDelivered(second.getId(), 'dan', USER, 'dan')
    await CometChat.markAsRead(second.getId(), 'dan', USER, 'dan')
    expect(await CometChat.getUnreadMessageCountForUser('dan')).toEqual({ dan: 0 })
    const conversation = await CometChat.markMessageAsUnread(first)
    expect(conversation.getUnreadMessageCount()).toBe(1)
  },

  'mark a whole conversation': async ({ CometChat }) => {
    const { USER, GROUP } = CometChat.RECEIVER_TYPE
    await CometChat.markConversationAsDelivered('cara', USER)
    await CometChat.markConversationAsRead('cara', USER)
    await CometChat.markConversationAsRead('team', GROUP)
    expect(await CometChat.getUnreadMessageCountForUser('cara')).toEqual({ cara: 0 })
    expect(await CometChat.getUnreadMessageCountForGroup('team')).toEqual({ team: 0 })
  },

  'see who has read a message': async ({ CometChat, full }) => {
    const message = await CometChat.sendMessage(new CometChat.TextMessage('team', 'Seen?', 'group'))
    const body = { messageId: String(message.getId()) }
    const params = { guid: 'team' }
    await full.markGroupConversationRead({ params, body, onBehalfOf: 'bob' })
    const receipts = await CometChat.getMessageReceipts(message.getId())
    const bobs = receipts.find((receipt) => receipt.getSender().getUid() === 'bob')
    expect(bobs).toBeInstanceOf(CometChat.MessageReceipt)
    expect(bobs?.getReadAt()).toBeGreaterThan(0)
    expect(bobs?.getReceiptType()).toBe(CometChat.MessageReceipt.RECEIPT_TYPE.READ)
  },

  'delete a conversation for oneself': async (context) => {
    const { CometChat } = context
    await CometChat.deleteConversation('cara', CometChat.RECEIVER_TYPE.USER)
    expect((await conversationsIn(context)).has('ann_user_cara')).toBe(false)
  },
}
