import type { Entry } from '@chorale/sdk'

export type Message = Entry['message']

export interface Viewer {
  readonly me: string
  nameOf(uid: string): string
  react(message: Message, reaction: string): void
  remove(message: Message): void
  edit(message: Message): void
}

export function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  className: string,
  text = '',
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

/** Edits and deletions come as entries of their own: what they did is shown in the message. */
export function isShown({ category, parentId }: Message): boolean {
  return category === 'message' && parentId === undefined
}

/** Fills the item of a message with what it says now. */
export function showMessage(item: HTMLLIElement, message: Message, viewer: Viewer): void {
  const { me, nameOf } = viewer
  const own = message.sender === me
  item.className = own ? 'message own' : 'message'
  item.dataset.id = message.id
  const head = element('p', 'head')
  const time = new Date(message.sentAt * 1000)
  head.append(
    element('strong', '', own ? 'You' : nameOf(message.sender)),
    element('time', '', time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })),
  )
  item.replaceChildren(head)
  if (message.deletedAt !== undefined) {
    item.append(element('p', 'bubble deleted', 'This message was deleted.'))
    return
  }
  const bubble = element('p', 'bubble')
  bubble.append(...spans(message.data.text ?? `(${message.type})`, nameOf))
  if (message.editedAt !== undefined) bubble.append(element('small', '', ' edited'))
  item.append(bubble, reactionsOf(message, viewer), footOf(message, own))
  if (own) item.append(actionsOf(message, viewer))
}

/** `<@uid:mara>` names her. */
function spans(text: string, nameOf: (uid: string) => string): (string | HTMLElement)[] {
  return text.split(/(<@uid:[^>]+>)/).map((part) => {
    const uid = /^<@uid:([^>]+)>$/.exec(part)?.[1]
    return uid === undefined ? part : element('b', 'mention', `@${nameOf(uid)}`)
  })
}

function reactionsOf(message: Message, { react }: Viewer): HTMLElement {
  const row = element('p', 'reactions')
  const given = message.data.reactions ?? []
  for (const { reaction, count, reactedByMe } of given) {
    const chip = element('button', reactedByMe ? 'chip mine' : 'chip', `${reaction} ${count}`)
    chip.type = 'button'
    chip.addEventListener('click', () => react(message, reaction))
    row.append(chip)
  }
  if (!given.some(({ reaction }) => reaction === '👍')) {
    const add = element('button', 'chip add', '👍')
    add.type = 'button'
    add.title = 'React'
    add.addEventListener('click', () => react(message, '👍'))
    row.append(add)
  }
  return row
}

function footOf({ replyCount = 0, pinnedAt, readAt, receiverType }: Message, own: boolean) {
  const notes = [
    replyCount > 0 ? `${replyCount} ${replyCount === 1 ? 'reply' : 'replies'}` : '',
    pinnedAt === undefined ? '' : 'pinned',
    own && receiverType === 'user' ? (readAt === undefined ? 'sent' : 'read') : '',
  ]
  return element('p', 'foot', notes.filter((note) => note !== '').join(' · '))
}

function actionsOf(message: Message, { edit, remove }: Viewer): HTMLElement {
  const row = element('p', 'actions')
  for (const [name, act] of [
    ['Edit', edit],
    ['Delete', remove],
  ] as const) {
    const button = element('button', '', name)
    button.type = 'button'
    button.addEventListener('click', () => act(message))
    row.append(button)
  }
  return row
}
