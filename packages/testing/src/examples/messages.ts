import { say, type Tour } from './tour.ts'

const asAnna = { onBehalfOf: 'anna' } as const
const asBen = { onBehalfOf: 'ben' } as const
const inGroup = { receiverType: 'group' } as const

export async function showMessages(tour: Tour): Promise<void> {
  const { show, call } = tour
  const { data } = await show.sendMessage({
    ...asAnna,
    body: {
      receiver: 'ben',
      receiverType: 'user',
      category: 'message',
      type: 'text',
      data: { text: 'Shall we walk on Saturday?' },
      muid: 'phone-1-0001',
    },
  })
  const id = 'id' in data ? data.id : ''
  await show.sendBotMessage({
    params: { uid: 'helper' },
    body: { receiver: 'hikers', ...inGroup, data: { text: 'The train leaves at 9:12.' } },
  })
  await show.getMessage({ params: { id }, ...asBen })
  const edited = { data: { text: 'Shall we walk on Sunday?' } }
  await show.editMessage({ params: { id }, ...asAnna, body: edited })
  await show.listEdits({ params: { id } })
  const wrong = await say(tour, 'anna', 'ben', 'Never mind.')
  await show.deleteMessage({ params: { id: wrong }, ...asAnna, body: { permanent: false } })
  await call.addMembers({ params: { guid: 'hikers' }, body: { participants: ['fay'] } })
}

export async function showReactions(tour: Tour): Promise<void> {
  const { show } = tour
  const id = await say(tour, 'ben', 'hikers', 'Who brings tea?', inGroup)
  await show.addReaction({ params: { id, reaction: '👍' }, ...asAnna })
  const chloe = { onBehalfOf: 'chloe' } as const
  await show.addReactionInBody({ params: { id }, ...chloe, body: { reaction: '🎉' } })
  await show.listReactions({ params: { id }, query: { limit: 1 } })
  await show.listReactionsOfKind({ params: { id, reaction: '🎉' }, query: { limit: 10 } })
  await show.removeReaction({ params: { id, reaction: '👍' }, ...asAnna })
  await show.pinMessage({ params: { id }, ...asBen })
  await show.unpinMessage({ params: { id }, ...asBen })
  await show.saveMessage({ params: { id }, ...asAnna })
  await show.unsaveMessage({ params: { id }, ...asAnna })
}

export async function showThreads(tour: Tour): Promise<void> {
  const { show } = tour
  const id = await say(tour, 'anna', 'hikers', 'Which way do we take?', inGroup)
  const body = { category: 'message', type: 'text', data: { text: 'Along the river.' } } as const
  await show.replyToMessage({ params: { id }, ...asBen, body })
  await show.listReplies({ params: { id }, ...asAnna, query: { limit: 10 } })
  await show.listThreads({ ...asAnna, query: { limit: 10 } })
  const chloe = { onBehalfOf: 'chloe' } as const
  await show.subscribeToThread({ params: { id }, ...chloe })
  await show.unsubscribeFromThread({ params: { id }, ...chloe })
  const form = {
    title: 'Are you coming?',
    formFields: [{ elementId: 'answer', elementType: 'textInput', label: 'Your answer' }],
    submitElement: { elementId: 'send', elementType: 'button', buttonText: 'Send' },
  }
  const data = { interactiveData: form }
  const asked = await say(tour, 'anna', 'ben', '', { category: 'interactive', type: 'form', data })
  await show.markInteracted({ params: { id: asked }, ...asBen, body: { interactions: ['send'] } })
}

export async function showHistory(tour: Tour): Promise<void> {
  const { show } = tour
  const query = { limit: 1, categories: ['message'] }
  const id = await say(tour, 'ben', 'anna', 'Sunday is fine.')
  await show.listMessages({ ...asAnna, query })
  await show.listUserMessages({ params: { uid: 'ben' }, ...asAnna, query })
  await show.listGroupMessages({ params: { guid: 'hikers' }, ...asAnna, query })
  await showPositions(tour, id)
  await show.listReceipts({ params: { id }, ...asBen })
}

/** What was delivered and read. */
async function showPositions(tour: Tour, messageId: string): Promise<void> {
  const { show } = tour
  const ben = { params: { uid: 'ben' }, ...asAnna } as const
  await show.markUserConversationDelivered({ ...ben, body: { messageId } })
  await show.markUserConversationRead({ ...ben, body: { messageId } })
  await say(tour, 'ben', 'anna', 'See you at nine.')
  await show.markUserConversationUnread({ ...ben, body: { messageId } })
  const hikers = { params: { guid: 'hikers' }, ...asAnna } as const
  const first = await say(tour, 'ben', 'hikers', 'Rain is not expected.', inGroup)
  await show.markGroupConversationDelivered({ ...hikers, body: {} })
  await show.markGroupConversationRead({ ...hikers, body: { messageId: first } })
  await show.markGroupConversationUnread({ ...hikers, body: { messageId: first } })
}

export async function showConversations(tour: Tour): Promise<void> {
  const { show } = tour
  const ben = { params: { uid: 'ben' }, ...asAnna } as const
  const hikers = { params: { guid: 'hikers' }, ...asAnna } as const
  await show.listConversations({ ...asAnna, query: { perPage: 1, withTags: true } })
  await show.getConversation({ params: { conversationId: 'anna_user_ben' }, ...asAnna })
  await show.getUserConversation(ben)
  await show.updateUserConversation({ ...ben, body: { tags: ['family'] } })
  await show.getGroupConversation(hikers)
  await show.updateGroupConversation({ ...hikers, body: { tags: ['outdoors'] } })
  await show.resetUserConversation({ ...ben, body: {} })
  await show.resetGroupConversation({ ...hikers, onBehalfOf: 'fay' })
  await say(tour, 'chloe', 'david', 'Hello David.')
  await show.deleteConversation({ params: { conversationId: 'chloe_user_david' } })
}

/** What an app brings along: one of each, said by people who are only there because of it. */
export async function showImports({ show }: Tour): Promise<void> {
  const at = 1_600_000_000
  const ida = { uid: 'ida', name: 'Ida', createdAt: at }
  const jon = { uid: 'jon', name: 'Jon', createdAt: at }
  await show.importUsers({ body: { users: { ida, jon } } })
  const rowers = { guid: 'rowers', name: 'Rowers', type: 'public', owner: 'ida' } as const
  await show.importGroups({ body: { groups: { rowers: { ...rowers, createdAt: at } } } })
  const memberId = 'rowers_member_jon'
  const member = { memberId, guid: 'rowers', uid: 'jon', joinedAt: at + 60 }
  await show.importMembers({ body: { members: { [memberId]: member } } })
  const said = { sender: 'ida', receiver: 'jon', receiverType: 'user', sentAt: at + 120 } as const
  const data = { text: 'See you at the boat.' }
  const messages = { 'old-1': { muid: 'old-1', ...said, readAt: at + 180, data } }
  await show.importMessages({ body: { messages, unread: true } })
  const read = { uid: 'jon', conversationType: 'user', conversationWith: 'ida' } as const
  const conversations = { 'jon-ida': { ...read, unreadMessageCount: 0 } }
  await show.importConversations({ body: { conversations } })
}

/** One of those who were brought along goes again, with all that they said. */
export async function showDataRights({ show }: Tour): Promise<void> {
  const { data: rule } = await show.setRetention({ body: { days: 36_500, guid: 'rowers' } })
  await show.listRetention({})
  await show.listRetentionRuns({})
  await show.deleteRetention({ params: { retentionId: rule.retentionId } })
  const { data: hold } = await show.createHold({ body: { uid: 'ida', reason: 'Case 2026-117' } })
  await show.listHolds({})
  await show.releaseHold({ params: { holdId: hold.holdId } })
  const { data: erasure } = await show.eraseUser({ body: { uid: 'ida' } })
  await show.getErasure({ params: { erasureId: erasure.erasureId } })
  await show.listErasures({})
}
