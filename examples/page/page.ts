import { connect, type Entry, targetOf } from '@chorale/sdk'

type Message = Entry['message']

const asked = new URLSearchParams(location.search)
const [me, other] = [asked.get('uid') ?? 'ines', asked.get('with') ?? 'tom']
const peer = { receiver: other, receiverType: 'user' } as const

function find<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`The page has no ${id}.`)
}
const list = find('messages', HTMLOListElement)
const typing = find('typing', HTMLParagraphElement)
const connection = find('connection', HTMLParagraphElement)
const text = find('text', HTMLInputElement)
find('name', HTMLHeadingElement).textContent = other
find('avatar', HTMLSpanElement).textContent = other.charAt(0)
document.title = `${me} and ${other}`

const login = await fetch(`/login?uid=${encodeURIComponent(me)}`)
if (!login.ok) {
  const reason = await login.text()
  connection.textContent = reason
  throw new Error(reason)
}
const session = connect(await login.json())

/** The bubble of a message: by its client id, so that one's own is found again once it is stored. */
function bubble(key: string, says: string, own: boolean): HTMLLIElement {
  const known = list.querySelector<HTMLLIElement>(`[data-key="${CSS.escape(key)}"]`)
  const item = known ?? document.createElement('li')
  item.textContent = says
  if (known) return known
  item.dataset.key = key
  item.classList.toggle('own', own)
  list.append(item)
  item.scrollIntoView()
  return item
}

function show(message: Message): void {
  if (targetOf(message, me).receiver !== other || message.category !== 'message') return
  const own = message.sender === me
  const item = bubble(message.muid ?? message.id, textOf(message), own)
  item.dataset.id = message.id
  place(item)
  if (own) item.dataset.state = message.readAt ? 'read' : 'sent'
}

/** A message that was deleted has no text, nor has an image. */
function textOf({ deletedAt, data, type, editedAt }: Message): string {
  if (deletedAt !== undefined) return 'This message was deleted.'
  return `${data.text ?? `(${type})`}${editedAt === undefined ? '' : ' (edited)'}`
}

/** In the order of the log; what is not stored yet comes last. */
function place(item: HTMLLIElement): void {
  const all = [...list.querySelectorAll('li')].filter((one) => one !== item)
  const { id } = item.dataset
  const next = all.find((one) => !one.dataset.id || Number(one.dataset.id) > Number(id))
  list.insertBefore(item, next ?? null)
}

/** Whatever was sent up to this message has come so far. */
function mark(messageId: string, state: 'delivered' | 'read'): void {
  for (const item of list.querySelectorAll<HTMLLIElement>('.own[data-id]')) {
    const isOlder = Number(item.dataset.id) <= Number(messageId)
    if (isOlder && item.dataset.state !== 'read') item.dataset.state = state
  }
}

session.on('connection', ({ state }) => {
  connection.dataset.state = state
  connection.textContent = `you are ${state}`
})
session.on('message', ({ message }) => {
  show(message)
  if (message.sender !== other) return
  typing.textContent = ''
  session.markRead(peer, message.id).catch(console.error)
})
// An edit or a deletion: the message as it is now.
session.on('changed', ({ message }) => show(message))
session.on('outgoing', ({ clientId, draft, state, message }) => {
  const item = bubble(clientId, String(draft.data?.text), true)
  if (message) show(message)
  else item.dataset.state = state
})
session.on('receipt', ({ uid, kind, messageId }) => {
  if (uid === other) mark(messageId, kind)
})
session.on('typing', ({ sender, state }) => {
  if (sender === other) typing.textContent = state === 'started' ? `${other} is typing …` : ''
})

text.addEventListener('input', () => {
  session.typing(peer, text.value === '' ? 'ended' : 'started')
})
find('composer', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  if (text.value.trim() === '') return
  session.send({ ...peer, data: { text: text.value } })
  text.value = ''
})
// Sooner than the session would by itself.
addEventListener('online', session.retryNow)

for await (const page of session.history(peer)) {
  for (const message of page) show(message)
  break
}
