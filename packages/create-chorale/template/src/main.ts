// The page: logs in, then shows the conversations of one person and the one that is open.
import { type Chat, type ChatConversation, createChat, type Target } from '@chorale/sdk'
import { element, input } from './page.ts'
import { conversationRow, messageRow } from './rows.ts'

interface Login {
  readonly url: string
  readonly appId: string
  readonly authToken: string
}

/** The server knows the API key; the page gets a token of one person. */
async function logIn(uid: string): Promise<Login> {
  const answer = await fetch('/login', { method: 'POST', body: JSON.stringify({ uid }) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

async function start(me: string): Promise<void> {
  const { url, appId } = await logIn(me)
  // Asked before each connection, so that no token has to last.
  const chat = createChat({ url, appId, authToken: async () => (await logIn(me)).authToken })
  element('login').hidden = true
  element('chat').hidden = false
  element('me').textContent = me
  showConnection(chat)
  showConversations(chat)
  offerPeople(chat)
  listenToComposer()
}

function showConnection({ connection }: Chat): void {
  connection.subscribe(() => {
    const { state, reason } = connection.getSnapshot()
    element('connection').textContent = state === 'online' ? 'online' : `${state}: ${reason}`
  })
}

function showConversations(chat: Chat): void {
  const list = chat.conversations()
  list.subscribe(() => {
    const rows = list
      .getSnapshot()
      .items.map((item) => conversationRow(item, () => open(chat, item, item.name)))
    element('conversations').replaceChildren(...rows)
  })
}

/** Who can be written to. */
function offerPeople(chat: Chat): void {
  const people = chat.users.list()
  people.subscribe(() => {
    const options = people.getSnapshot().items.map(({ uid, name }) => new Option(name, uid))
    element('people').replaceChildren(...options)
  })
  element('open').addEventListener('submit', (event) => {
    event.preventDefault()
    const receiver = input('receiver').value.trim()
    const { name = receiver } = people.getSnapshot().items.find(({ uid }) => uid === receiver) ?? {}
    if (receiver !== '') open(chat, { receiver, receiverType: 'user' }, name)
    input('receiver').value = ''
  })
}

/** The conversation that is open, and how to leave it. */
let current: ChatConversation | undefined
let leave = () => {}

function open(chat: Chat, target: Target, title: string): void {
  leave()
  const conversation = chat.conversation(target)
  const { messages, typingUsers, unread } = conversation
  const markRead = () => {
    if (unread.getSnapshot() > 0 && document.hasFocus()) conversation.markRead().catch(report)
  }
  const stops = [
    messages.subscribe(() => {
      const { items, error } = messages.getSnapshot()
      element('messages').replaceChildren(...items.map(messageRow))
      element('messages').lastElementChild?.scrollIntoView()
      if (error) report(error)
    }),
    typingUsers.subscribe(() => {
      const uids = typingUsers.getSnapshot()
      element('typing').textContent = uids.length > 0 ? `typing: ${uids.join(', ')}` : ''
    }),
    unread.subscribe(markRead),
  ]
  addEventListener('focus', markRead)
  leave = () => {
    for (const stop of stops) stop()
    removeEventListener('focus', markRead)
  }
  current = conversation
  markRead()
  element('title').textContent = title
  element('messages').replaceChildren()
  element('composer').hidden = false
  input('text').focus()
}

function listenToComposer(): void {
  input('text').addEventListener('input', () => current?.typing())
  element('composer').addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input('text').value.trim()
    // It is shown at once. If it is refused, its row says why.
    if (text !== '') current?.send(text)
    input('text').value = ''
  })
}

function report(error: unknown): void {
  element('problem').textContent = error instanceof Error ? error.message : String(error)
}

// The form of the page asks for a name and loads `/?me=ann`.
const me = new URLSearchParams(location.search).get('me')
if (me) start(me).catch(report)
