import { expect } from 'vitest'
import type { Snippets } from './context.ts'

export const sends: Snippets = {
  'send a text message to a user': async ({ CometChat }) => {
    const textMessage = new CometChat.TextMessage('bob', 'Hello Bob', CometChat.RECEIVER_TYPE.USER)
    textMessage.setMetadata({ latitude: '50.6' })
    textMessage.setTags(['starred'])
    const message = await CometChat.sendMessage(textMessage)
    expect(message).toBeInstanceOf(CometChat.TextMessage)
    expect(message).toBeInstanceOf(CometChat.BaseMessage)
    expect(message.getModerationStatus()).toBeUndefined()
    expect(message.getId()).toBeGreaterThan(0)
    expect(message.getText()).toBe('Hello Bob')
    expect(message.getMetadata()).toEqual({ latitude: '50.6' })
    expect(message.getTags()).toEqual(['starred'])
    expect(message.getSender().getUid()).toBe('ann')
    expect(message.getReceiver()).toBeInstanceOf(CometChat.User)
    expect(message.getReceiverId()).toBe('bob')
    expect(message.getReceiverType()).toBe('user')
    expect(message.getCategory()).toBe(CometChat.CATEGORY_MESSAGE)
    expect(message.getType()).toBe(CometChat.MESSAGE_TYPE.TEXT)
    expect(message.getConversationId()).toBe('ann_user_bob')
    expect(message.getMuid()).toBe(textMessage.getMuid())
    expect(message.getSentAt()).toBe(message.getUpdatedAt())
    expect(message.getReplyCount()).toBe(0)
    expect(message.getData()).toBe(message.getRawMessage())
    // Once more with the same muid is the same message.
    expect((await CometChat.sendMessage(textMessage)).getId()).toBe(message.getId())
  },

  'send a text message to a group': async ({ CometChat }) => {
    const { GROUP } = CometChat.RECEIVER_TYPE
    const message = await CometChat.sendMessage(
      new CometChat.TextMessage('team', 'Hello team', GROUP),
    )
    expect(message.getReceiver()).toBeInstanceOf(CometChat.Group)
    await expect(
      CometChat.sendMessage(new CometChat.TextMessage('nowhere', 'Hello', GROUP)),
    ).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND' })
  },

  'send a link to a file as a media message': async ({ CometChat }) => {
    const { IMAGE } = CometChat.MESSAGE_TYPE
    const mediaMessage = new CometChat.MediaMessage('bob', '', IMAGE, CometChat.RECEIVER_TYPE.USER)
    const attachment = new CometChat.Attachment({
      name: 'mario',
      extension: 'png',
      mimeType: 'image/png',
      url: 'https://pictures.example/mario.png',
      size: 12_000,
    })
    mediaMessage.setAttachment(attachment)
    mediaMessage.setCaption('look')
    const message = await CometChat.sendMediaMessage(mediaMessage)
    expect(message).toBeInstanceOf(CometChat.MediaMessage)
    expect(message.getModerationStatus()).toBeUndefined()
    const stored = message.getAttachment()
    expect(stored?.getUrl()).toBe('https://pictures.example/mario.png')
    expect([stored?.getName(), stored?.getExtension()]).toEqual(['mario', 'png'])
    expect([stored?.getMimeType(), stored?.getSize()]).toEqual(['image/png', 12_000])
    expect(message.getURL()).toBe(stored?.getUrl())
    expect(message.getCaption()).toBe('look')
    expect(message.getType()).toBe('image')
  },

  'send several attachments': async ({ CometChat }) => {
    const { FILE } = CometChat.MESSAGE_TYPE
    const mediaMessage = new CometChat.MediaMessage('bob', '', FILE, CometChat.RECEIVER_TYPE.USER)
    const files = ['one', 'two'].map((name) => {
      const file = { name, extension: 'pdf', mimeType: 'application/pdf' }
      return new CometChat.Attachment({ ...file, url: `https://files.example/${name}.pdf` })
    })
    mediaMessage.setAttachments(files)
    const message = await CometChat.sendMediaMessage(mediaMessage)
    expect(message.getAttachments().map((one) => one.getName())).toEqual(['one', 'two'])
  },

  'a file itself cannot be sent yet': async ({ CometChat }) => {
    const { FILE } = CometChat.MESSAGE_TYPE
    const file = new Blob(['text'])
    await expect(
      CometChat.sendMediaMessage(new CometChat.MediaMessage('bob', file, FILE, 'user')),
    ).rejects.toMatchObject({ code: 'ERR_NOT_AVAILABLE' })
  },

  'send a custom message': async ({ CometChat }) => {
    const customData = { latitude: '50.6', longitude: '-72.7' }
    const customMessage = new CometChat.CustomMessage(
      'team',
      CometChat.RECEIVER_TYPE.GROUP,
      'location',
      customData,
    )
    customMessage.setSubType('pin')
    customMessage.setConversationText('shared a location')
    customMessage.shouldUpdateConversation(true)
    customMessage.shouldSendNotification(false)
    expect(customMessage.getSubType()).toBe('pin')
    const message = await CometChat.sendCustomMessage(customMessage)
    expect(message).toBeInstanceOf(CometChat.CustomMessage)
    expect(message.getModerationStatus()).toBeUndefined()
    expect(message.getCustomData()).toEqual(customData)
    expect(message.getConversationText()).toBe('shared a location')
    expect([message.getCategory(), message.getType()]).toEqual(['custom', 'location'])
  },

  'edit a message': async ({ CometChat }) => {
    const message = await CometChat.sendMessage(new CometChat.TextMessage('bob', 'Helo', 'user'))
    message.setText('Hello')
    const edited = await CometChat.editMessage(message)
    expect(edited).toMatchObject({ id: message.getId(), text: 'Hello' })
    expect(edited.getEditedBy()).toBe('ann')
    expect(edited.getEditedAt()).toBeGreaterThanOrEqual(message.getSentAt())
  },

  'delete a message': async ({ CometChat }) => {
    const message = await CometChat.sendMessage(new CometChat.TextMessage('bob', 'oops', 'user'))
    const deleted = await CometChat.deleteMessage(message.getId())
    expect(deleted.getId()).toBe(message.getId())
    expect(deleted.getDeletedBy()).toBe('ann')
    expect(deleted.getDeletedAt()).toBeGreaterThanOrEqual(message.getSentAt())
  },

  'get a message, and react to it': async ({ CometChat, full, say }) => {
    const id = await say('bob', 'ann', 'shall we?')
    const message = await CometChat.getMessageDetails(id)
    expect(message).toMatchObject({ text: 'shall we?' })
    const reacted = await CometChat.addReaction(id, '👍')
    expect(reacted.getReactions()[0]).toBeInstanceOf(CometChat.ReactionCount)
    expect(
      reacted
        .getReactions()
        .map((one) => [one.getReaction(), one.getCount(), one.getReactedByMe()]),
    ).toEqual([['👍', 1, true]])
    await full.addReaction({ params: { id, reaction: '🎉' }, onBehalfOf: 'bob' })
    const request = new CometChat.ReactionsRequestBuilder().setMessageId(id).setLimit(10).build()
    const rows = await request.fetchNext()
    expect(rows[0]).toBeInstanceOf(CometChat.Reaction)
    expect(rows.map((one) => `${one.getUid()} ${one.getReaction()}`).toSorted()).toEqual([
      'ann 👍',
      'bob 🎉',
    ])
    expect(await request.fetchNext()).toEqual([])
    const party = new CometChat.ReactionsRequestBuilder().setMessageId(id).setReaction('🎉').build()
    const [bobs] = await party.fetchPrevious()
    expect(bobs?.getReactedBy().getName()).toBe('BOB')
    expect([bobs?.getMessageId(), typeof bobs?.getReactionId()]).toEqual([id, 'string'])
    expect(bobs?.getReactedAt()).toBeGreaterThan(0)
    expect((await CometChat.removeReaction(id, '👍')).getReactions().length).toBe(1)
  },

  'answer in a thread, and list it': async ({ CometChat }) => {
    const parent = await CometChat.sendMessage(new CometChat.TextMessage('team', 'Idea', 'group'))
    const reply = new CometChat.TextMessage('team', 'Good', CometChat.RECEIVER_TYPE.GROUP)
    reply.setParentMessageId(parent.getId())
    const sent = await CometChat.sendMessage(reply)
    expect(sent.getParentMessageId()).toBe(parent.getId())
    const thread = new CometChat.MessagesRequestBuilder()
      .setParentMessageId(parent.getId())
      .setLimit(30)
      .build()
    expect((await thread.fetchPrevious()).map((one) => one.getId())).toEqual([sent.getId()])
    const main = new CometChat.MessagesRequestBuilder().setGUID('team').hideReplies(true).build()
    const rows = await main.fetchPrevious()
    expect(rows.map((one) => one.getId())).not.toContain(sent.getId())
    expect(rows.find((one) => one.getId() === parent.getId())?.getReplyCount()).toBe(1)
  },

  'quote a message': async ({ CometChat }) => {
    const first = await CometChat.sendMessage(new CometChat.TextMessage('bob', 'First', 'user'))
    const second = new CometChat.TextMessage('bob', 'About that', CometChat.RECEIVER_TYPE.USER)
    second.setQuotedMessageId(first.getId())
    const sent = await CometChat.sendMessage(second)
    expect(sent.getQuotedMessageId()).toBe(first.getId())
    expect(sent.getQuotedMessage()).toMatchObject({ text: 'First' })
  },

  'mention a user': async ({ CometChat, sayIn }) => {
    const message = await CometChat.sendMessage(
      new CometChat.TextMessage('team', 'Hello <@uid:bob>', CometChat.RECEIVER_TYPE.GROUP),
    )
    expect(message.getMentionedUsers().map((user) => user.getName())).toEqual(['BOB'])
    expect(message.hasMentionedMe()).toBe(false)
    await sayIn('team', 'bob', 'And you, <@uid:ann>?')
    const request = new CometChat.MessagesRequestBuilder()
      .setGUID('team')
      .myMentionsOnly(true)
      .mentionsWithTagInfo(true)
      .mentionsWithBlockedInfo(true)
      .build()
    const rows = await request.fetchPrevious()
    expect(rows.map((one) => one.hasMentionedMe())).toEqual([true])
  },

  'report a message': async ({ CometChat, say }) => {
    const id = await say('bob', 'ann', 'buy now')
    const { message } = await CometChat.flagMessage(id, { reasonId: 'spam', remark: 'an advert' })
    expect(message).toEqual(expect.any(String))
  },
}
