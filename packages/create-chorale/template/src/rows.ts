// What a conversation and a message look like in their lists.
import type { ChatMessage, ConversationItem } from '@chorale/sdk'

export function conversationRow(item: ConversationItem, onClick: () => void): HTMLElement {
  const button = make('button', 'conversation')
  button.append(make('strong', 'name', item.name))
  if (item.unread > 0) button.append(make('span', 'unread', String(item.unread)))
  button.append(make('span', 'last', item.typing.length > 0 ? 'typing …' : lastText(item)))
  button.addEventListener('click', onClick)
  const row = make('li', '')
  row.append(button)
  return row
}

function lastText({ lastMessage }: ConversationItem): string {
  return lastMessage ? (lastMessage.data.text ?? `(${lastMessage.type})`) : ''
}

export function messageRow(message: ChatMessage): HTMLElement {
  const row = make('li', message.isOwn ? 'message own' : 'message')
  row.append(make('span', 'sender', message.sender), make('span', 'text', textOf(message)))
  if (message.isOwn) row.append(make('span', 'state', stateOf(message)))
  return row
}

/** A message that was deleted has no text, nor has an image. */
function textOf({ deletedAt, editedAt, data, type }: ChatMessage): string {
  if (deletedAt !== undefined) return '(deleted)'
  return `${data.text ?? `(${type})`}${editedAt === undefined ? '' : ' (edited)'}`
}

function stateOf({ state, error, readAt, deliveredAt }: ChatMessage): string {
  if (state === 'failed') return `not sent: ${error?.message}`
  if (readAt !== undefined) return 'read'
  return deliveredAt === undefined ? state : 'delivered'
}

function make<N extends keyof HTMLElementTagNameMap>(
  name: N,
  className: string,
  text = '',
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}
