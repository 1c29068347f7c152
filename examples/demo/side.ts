import { connect, type Session, type Target, targetOf } from '@chorale/sdk'
import { element, isShown, type Message, showMessage, type Viewer } from './message-view.ts'

export interface Person {
  readonly uid: string
  readonly name: string
}

interface Side {
  readonly root: HTMLElement
  readonly people: readonly Person[]
  readonly me: string
  readonly session: Session
  target: Target
}

function part<E extends HTMLElement>(root: ParentNode, name: string, kind: new () => E): E {
  const found = root.querySelector(`.${name}`)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${name}.`)
}

/** One person's side of the page. */
export function openSide(people: readonly Person[], uid: string): HTMLElement {
  const template = document.getElementById('side')
  if (!(template instanceof HTMLTemplateElement)) throw new Error('The page has no side.')
  const root = part(template.content, 'side', HTMLElement).cloneNode(true) as HTMLElement
  const who = part(root, 'who', HTMLSelectElement)
  for (const { uid: value, name } of people)
    who.append(new Option(name, value, false, value === uid))
  let leave = sit(root, people, uid)
  who.addEventListener('change', () => {
    leave.then((end) => end()).catch(console.error)
    leave = sit(root, people, who.value)
  })
  return root
}

/** Logs in and shows the first conversation; returns how to end it. */
async function sit(root: HTMLElement, people: readonly Person[], me: string): Promise<() => void> {
  const connection = part(root, 'connection', HTMLElement)
  const answer = await fetch(`/demo/login?uid=${encodeURIComponent(me)}`, { method: 'POST' })
  if (!answer.ok) {
    connection.textContent = `${me} cannot log in: ${await answer.text()}`
    return () => undefined
  }
  const { appId, authToken } = await answer.json()
  const url = new URL('/v3/realtime', location.href.replace(/^http/, 'ws')).href
  const session = connect({ url, appId, authToken })
  const target: Target = { receiver: 'concert', receiverType: 'group' }
  const side: Side = { root, people, me, session, target }
  const ended = new AbortController()
  listen(side)
  compose(side, ended.signal)
  await showConversations(side)
  await openTalk(side, target)
  return () => {
    ended.abort()
    session.close()
  }
}

const nameIn =
  ({ people }: Side) =>
  (uid: string) =>
    people.find((one) => one.uid === uid)?.name.split(' ')[0] ?? uid

function listen(side: Side): void {
  const { root, session, me } = side
  const isHere = (message: Message) => {
    const { receiver, receiverType } = targetOf(message, me)
    return receiver === side.target.receiver && receiverType === side.target.receiverType
  }
  session.on('connection', ({ state }) => {
    const connection = part(root, 'connection', HTMLElement)
    connection.dataset.state = state
    connection.textContent = state
  })
  session.on('message', ({ message }) => {
    if (isHere(message)) {
      show(side, message)
      if (message.sender !== me) session.markRead(side.target).catch(console.error)
    }
    showConversations(side).catch(console.error)
  })
  session.on('changed', ({ message }) => {
    if (isHere(message)) show(side, message)
  })
  session.on('reload', () => void openTalk(side, side.target).catch(console.error))
  session.on('receipt', () => void refreshReceipts(side))
  session.on('typing', ({ sender, receiver, receiverType, state }) => {
    const at = receiverType === 'group' ? receiver : sender
    if (at !== side.target.receiver) return
    const text = state === 'started' ? `${nameIn(side)(sender)} is typing …` : ''
    part(root, 'typing', HTMLElement).textContent = text
  })
}

/** Whatever one's own messages in this talk say now, all of them were read. */
function refreshReceipts({ root, target }: Side): void {
  if (target.receiverType !== 'user') return
  for (const foot of root.querySelectorAll('.own .foot')) {
    foot.textContent = (foot.textContent ?? '').replace('sent', 'read')
  }
}

async function showConversations(side: Side): Promise<void> {
  const { root, session } = side
  const { data } = await session.call('listConversations', { query: { perPage: 50 } })
  const items = data.map((row) => {
    const other = row.conversationWith
    const target: Target =
      'guid' in other
        ? { receiver: other.guid, receiverType: 'group' }
        : { receiver: other.uid, receiverType: 'user' }
    const isOpen = target.receiver === side.target.receiver
    const button = element('button', isOpen ? 'conversation open' : 'conversation')
    button.type = 'button'
    button.append(avatar(other.name), element('span', 'name', other.name))
    const unread = Number(row.unreadMessageCount)
    if (unread > 0 && !isOpen) button.append(element('span', 'unread', String(unread)))
    button.addEventListener('click', () => void openTalk(side, target).catch(console.error))
    const item = element('li', '')
    item.append(button)
    return item
  })
  part(root, 'conversations', HTMLElement).replaceChildren(...items)
}

function avatar(name: string): HTMLElement {
  const made = element('span', 'avatar', name.charAt(0))
  made.dataset.hue = String([...name].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % 6)
  made.ariaHidden = 'true'
  return made
}

async function openTalk(side: Side, target: Target): Promise<void> {
  const { root, session } = side
  side.target = target
  const list = part(root, 'messages', HTMLOListElement)
  list.replaceChildren()
  part(root, 'typing', HTMLElement).textContent = ''
  for await (const page of session.history(target, { pageSize: 50 })) {
    if (side.target !== target) return
    for (const message of page) show(side, message)
    break
  }
  await session.markRead(target)
  await showConversations(side)
  const open = root.querySelector('.conversation.open .name')
  part(root, 'title', HTMLElement).textContent = open?.textContent ?? target.receiver
}

/** In the order of the log; a message that is there already says what it says now. */
function show(side: Side, message: Message): void {
  const list = part(side.root, 'messages', HTMLOListElement)
  if (!isShown(message)) return
  const id = Number(message.id)
  const items = [...list.querySelectorAll<HTMLLIElement>('li.message')]
  const known = items.find((one) => Number(one.dataset.id) === id)
  const item = known ?? document.createElement('li')
  showMessage(item, message, viewerOf(side))
  if (known) return
  list.insertBefore(item, items.find((one) => Number(one.dataset.id) > id) ?? null)
  list.scrollTop = list.scrollHeight
}

function viewerOf(side: Side): Viewer {
  const { session, me } = side
  const tell = (error: unknown) => alert(error instanceof Error ? error.message : String(error))
  return {
    me,
    nameOf: nameIn(side),
    react({ id, data }, reaction) {
      const isMine = data.reactions?.some((one) => one.reaction === reaction && one.reactedByMe)
      const name = isMine ? 'removeReaction' : 'addReaction'
      session.call(name, { params: { id, reaction } }).catch(tell)
    },
    remove: ({ id }) =>
      void session.call('deleteMessage', { params: { id }, body: {} }).catch(tell),
    edit({ id, data }) {
      const text = prompt('What shall it say?', data.text)
      if (text)
        session.call('editMessage', { params: { id }, body: { data: { text } } }).catch(tell)
    },
  }
}

function compose(side: Side, signal: AbortSignal): void {
  const { root, session } = side
  const text = part(root, 'text', HTMLInputElement)
  const typing = () => session.typing(side.target, text.value === '' ? 'ended' : 'started')
  text.addEventListener('input', typing, { signal })
  root.querySelector('form')?.addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      if (text.value.trim() === '') return
      session.send({ ...side.target, data: { text: text.value } })
      text.value = ''
      typing()
    },
    { signal },
  )
}
