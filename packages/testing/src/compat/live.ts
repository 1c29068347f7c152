import { expect } from 'vitest'
import { type Context, heard, type Snippets } from './context.ts'

type Listener = ConstructorParameters<Context['CometChat']['MessageListener']>[0]

/** Listens while the work is done. */
async function listening(
  { CometChat }: Context,
  callbacks: Listener,
  work: () => Promise<unknown>,
): Promise<void> {
  CometChat.addMessageListener('SNIPPET', new CometChat.MessageListener(callbacks))
  try {
    await work()
  } finally {
    CometChat.removeMessageListener('SNIPPET')
  }
}

export const live: Snippets = {
  'hear text, media and custom messages of others': async (context) => {
    const { CometChat, full, say } = context
    const got: string[] = []
    await listening(
      context,
      {
        onTextMessageReceived: (message) =>
          got.push(`${message.getSender().getName()}: ${message.getText()}`),
        onMediaMessageReceived: (message) => got.push(message.getURL() ?? ''),
        onCustomMessageReceived: (message) => got.push(JSON.stringify(message.getCustomData())),
      },
      async () => {
        await CometChat.sendMessage(new CometChat.TextMessage('bob', 'my own', 'user'))
        const id = await say('bob', 'ann', 'hi')
        const to = { receiver: 'ann', receiverType: 'user' } as const
        const url = 'https://pictures.example/a.png'
        const file = { url, name: 'a', extension: 'png', mimeType: 'image/png' }
        const media = { category: 'message', type: 'image', data: { attachments: [file] } } as const
        await full.sendMessage({ onBehalfOf: 'bob', body: { ...to, ...media } })
        const custom = { category: 'custom', type: 'poll', data: { customData: { a: 1 } } } as const
        await full.sendMessage({ onBehalfOf: 'bob', body: { ...to, ...custom } })
        await heard(() => got.includes('{"a":1}'))
        expect(got).toEqual(['BOB: hi', url, '{"a":1}'])
        expect(CometChat.getLastDeliveredMessageId()).toBeGreaterThanOrEqual(Number(id))
      },
    )
  },

  "hear one's own messages of another device": async (context) => {
    const got: string[] = []
    const callbacks = {
      onTextMessageReceived: (message: { getText(): string }) => got.push(message.getText()),
    }
    await listening(context, callbacks, async () => {
      await context.say('ann', 'bob', 'from my phone')
      await heard(() => got.length > 0)
      expect(got).toEqual(['from my phone'])
    })
  },

  'hear edits and deletions': async (context) => {
    const { CometChat, full, say } = context
    const got: string[] = []
    const callbacks: Listener = {
      onMessageEdited: (message) => got.push(`edited ${message.getId()} ${message.getEditedBy()}`),
      onMessageDeleted: (message) => got.push(`deleted ${message.getId()}`),
    }
    await listening(context, callbacks, async () => {
      const mine = await CometChat.sendMessage(new CometChat.TextMessage('bob', 'mine', 'user'))
      mine.setText('still mine')
      await CometChat.editMessage(mine)
      const id = await say('bob', 'ann', 'helo')
      await full.editMessage({
        params: { id },
        body: { data: { text: 'hello' } },
        onBehalfOf: 'bob',
      })
      await heard(() => got.length > 0)
      await full.deleteMessage({ params: { id }, onBehalfOf: 'bob' })
      await heard(() => got.length > 1)
      expect(got).toEqual([`edited ${id} bob`, `deleted ${id}`])
    })
  },

  'hear reactions, and show them': async (context) => {
    const { CometChat, full, say } = context
    const got: string[] = []
    const message = await CometChat.getMessageDetails(await say('bob', 'ann', 'react to this'))
    const id = String(message.getId())
    const { REACTION_ADDED, REACTION_REMOVED } = CometChat.REACTION_ACTION
    const { updateMessageWithReactionInfo } = CometChat.CometChatHelper
    const callbacks: Listener = {
      onMessageReactionAdded: (event) => {
        const reaction = event.getReaction()
        expect(event).toBeInstanceOf(CometChat.ReactionEvent)
        updateMessageWithReactionInfo(message, reaction, REACTION_ADDED)
        got.push(`+ ${reaction.getReaction()} ${reaction.getReactedBy().getName()}`)
        expect(event.getConversationId()).toBe('ann_user_bob')
        expect([event.getReceiverId(), event.getReceiverType()]).toEqual(['ann', 'user'])
        expect(event.getParentMessageId()).toBeUndefined()
      },
      onMessageReactionRemoved: (event) => {
        updateMessageWithReactionInfo(message, event.getReaction(), REACTION_REMOVED)
        got.push(`- ${event.getReaction().getReaction()} ${event.getReaction().getUid()}`)
      },
    }
    const counts = () =>
      message.getReactions().map((one) => `${one.getReaction()}${one.getCount()}`)
    await listening(context, callbacks, async () => {
      const byBob = { params: { id, reaction: '👍' }, onBehalfOf: 'bob' }
      await full.addReaction(byBob)
      await heard(() => got.length > 0)
      expect(counts()).toEqual(['👍1'])
      await full.removeReaction(byBob)
      await heard(() => got.length > 1)
      expect(counts()).toEqual([])
      expect(got).toEqual(['+ 👍 BOB', '- 👍 bob'])
    })
  },

  'hear that messages are delivered and read': async (context) => {
    const { CometChat, full } = context
    const got: string[] = []
    const sent = await CometChat.sendMessage(new CometChat.TextMessage('bob', 'got it?', 'user'))
    const callbacks: Listener = {
      onMessagesDelivered: (receipt) =>
        got.push(`delivered ${receipt.getMessageId()} ${typeof receipt.getDeliveredAt()}`),
      onMessagesRead: (receipt) => {
        expect(receipt.getSender().getName()).toBe('BOB')
        expect([receipt.getReceiver(), receipt.getReceiverType()]).toEqual(['ann', 'user'])
        expect(receipt.getTimestamp()).toBe(String(receipt.getReadAt()))
        got.push(`read ${receipt.getMessageId()}`)
      },
    }
    await listening(context, callbacks, async () => {
      const body = { messageId: String(sent.getId()) }
      const mark = { params: { uid: 'ann' }, body, onBehalfOf: 'bob' }
      await full.markUserConversationDelivered(mark)
      await heard(() => got.length > 0)
      await full.markUserConversationRead(mark)
      await heard(() => got.some((one) => one.startsWith('read')))
      expect(got).toEqual([`delivered ${sent.getId()} number`, `read ${sent.getId()}`])
      const now = await CometChat.getMessageDetails(sent.getId())
      expect(now.getDeliveredAt()).toBeGreaterThan(0)
      expect(now.getReadAt()).toBeGreaterThan(0)
    })
  },

  'show that somebody types': async (context) => {
    const { CometChat, device } = context
    const phone = await device('bob')
    const got: string[] = []
    const callbacks: Listener = {
      onTypingStarted: (typing) => {
        expect(typing.getSender().getUid()).toBe('bob')
        expect([typing.getReceiverId(), typing.getReceiverType()]).toEqual(['ann', 'user'])
        got.push(`started ${JSON.stringify(typing.getMetadata())}`)
      },
      onTypingEnded: (typing) => got.push(`ended ${typing.getSender().getName()}`),
    }
    await listening(context, callbacks, async () => {
      const to = { receiver: 'ann', receiverType: 'user' }
      phone.send({ type: 'typing', ...to, state: 'started', metadata: { in: 'box' } })
      phone.send({ type: 'typing', ...to, state: 'ended' })
      await heard(() => got.length > 1)
      expect(got).toEqual(['started {"in":"box"}', 'ended BOB'])
      const typing = new CometChat.TypingIndicator('bob', CometChat.RECEIVER_TYPE.USER, { a: 1 })
      CometChat.startTyping(typing)
      expect(await phone.next('typing')).toMatchObject({ sender: 'ann', metadata: { a: 1 } })
      CometChat.endTyping(typing)
      expect(await phone.next('typing')).toMatchObject({ state: 'ended' })
    })
  },

  'send and hear transient messages': async (context) => {
    const { CometChat, device } = context
    const phone = await device('bob')
    const got: object[] = []
    const callbacks: Listener = {
      onTransientMessageReceived: (message) => {
        expect(message.getSender().getName()).toBe('BOB')
        expect([message.getReceiverId(), message.getReceiverType()]).toEqual(['ann', 'user'])
        got.push(message.getData())
      },
    }
    await listening(context, callbacks, async () => {
      const { USER } = CometChat.RECEIVER_TYPE
      const data = { LIVE_REACTION: 'heart' }
      CometChat.sendTransientMessage(new CometChat.TransientMessage('bob', USER, data))
      expect(await phone.next('transient')).toMatchObject({ sender: 'ann', data })
      phone.send({ type: 'transient', receiver: 'ann', receiverType: 'user', data })
      await heard(() => got.length > 0)
      expect(got).toEqual([data])
    })
  },

  'a call listener is accepted, with a warning': ({ CometChat }) => {
    const warned: unknown[] = []
    const { warn } = console
    console.warn = (text) => warned.push(text)
    try {
      const listener = new CometChat.CallListener({ onIncomingCallReceived: () => undefined })
      CometChat.addCallListener('CALLS', listener)
      CometChat.removeCallListener('CALLS')
    } finally {
      console.warn = warn
    }
    expect(warned).toEqual([expect.stringContaining('CallListener.onIncomingCallReceived')])
  },
}
