// A chat in the terminal, kept as it is now: prints a conversation whenever something happens in it.
// APP_ID=... AUTH_TOKEN=... node examples/chat-client.ts bob
import { createChat } from '@chorale/sdk'

const chat = createChat({
  url: process.env.REALTIME_URL ?? 'ws://localhost:3000/v3/realtime',
  appId: process.env.APP_ID ?? '',
  authToken: process.env.AUTH_TOKEN ?? '',
})

// Every live value has `subscribe` and `getSnapshot`.
chat.connection.subscribe(() => {
  const { state, reason } = chat.connection.getSnapshot()
  console.error(state, reason)
})
chat.unread.subscribe(() => console.error('unread:', chat.unread.getSnapshot()))

const list = chat.conversations()
list.subscribe(() => {
  for (const { name, unread, lastMessage, typing } of list.getSnapshot().items) {
    console.error(name, unread, lastMessage?.data.text ?? '', typing.length > 0 ? '…' : '')
  }
})

const receiver = process.argv[2] ?? 'bob'
const conversation = chat.conversation({ receiver, receiverType: 'user' })
conversation.messages.subscribe(() => {
  const { items, status, hasMore } = conversation.messages.getSnapshot()
  console.log(`-- ${status}${hasMore ? ', there is more: loadMore()' : ''}`)
  for (const { sender, data, state, readAt } of items) {
    console.log(sender, data.text ?? '', state, readAt ? 'read' : '')
  }
})

conversation.typing()
const { stored } = conversation.send('hello')
const message = await stored
await conversation.edit(message, 'hello!')
await conversation.react(message, '👍')
conversation.reply(message, { text: 'a reply in the thread of the message', tags: ['greeting'] })
await conversation.markRead()
