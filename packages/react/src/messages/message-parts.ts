import type { ChatMessage, Message } from '@chorale/sdk'
import type { Thumbnails } from '../provider/slots.ts'
import type { Strings } from '../provider/strings.ts'

type Content = Pick<Message, 'category' | 'type' | 'data' | 'sender' | 'deletedAt'>

/** The name of whoever sent it, as far as the message says. */
export function senderName({ data, sender }: Pick<Message, 'data' | 'sender'>): string {
  return data.entities?.sender?.entity.name ?? sender
}

export function isDeleted({ deletedAt }: Pick<Message, 'deletedAt'>): boolean {
  return deletedAt !== undefined
}

/** Text that is still being written, edit by edit: `metadata.streaming` is true until the last. */
export function isStreaming({ data, deletedAt }: Pick<Message, 'data' | 'deletedAt'>): boolean {
  return deletedAt === undefined && data.metadata?.streaming === true
}

export function isText({ category, type }: Pick<Message, 'category' | 'type'>): boolean {
  return category === 'message' && type === 'text'
}

export type TextPart =
  | { readonly kind: 'text' | 'link'; readonly text: string }
  | { readonly kind: 'mention'; readonly text: string; readonly uid: string }

const special = /<@uid:([^>\s]+)>|https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']/g

/** A text, its links and the people that it mentions. */
export function textParts({ text = '', mentions }: Message['data']): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(special)) {
    const [found, uid] = match
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    if (uid === undefined) parts.push({ kind: 'link', text: found })
    else parts.push({ kind: 'mention', uid, text: `@${mentions?.[uid]?.name ?? uid}` })
    from = match.index + found.length
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}

/** Without marks: mentions are names. */
export function plainText(data: Message['data']): string {
  return textParts(data)
    .map(({ text }) => text)
    .join('')
}

/** One line that says what a message is. */
export function summaryOf(message: Content, strings: Strings): string {
  if (isDeleted(message)) return strings.deleted
  if (message.category === 'action') return systemText(message, strings)
  const text = plainText(message.data)
  if (text !== '') return text
  const { photo, video, audio, file, customMessage } = strings
  const names: Readonly<Record<string, string>> = { image: photo, video, audio, file }
  return names[message.type] ?? customMessage
}

/** What somebody did to a group. */
export function systemText({ data, sender }: Content, { groupAction }: Strings): string {
  const { by, on } = data.entities ?? {}
  const other = on && 'name' in on.entity ? on.entity.name : ''
  return groupAction(data.action ?? '', by?.entity.name ?? sender, other)
}

/** What a row of the list is called. */
export function labelOf(message: ChatMessage, strings: Strings, time: string): string {
  const name = message.isOwn ? strings.you : senderName(message)
  return `${name}, ${time}: ${summaryOf(message, strings)}`
}

const minutes = 5 * 60

/** Whether a message stands below the other as one of several of the same sender. */
export function continues(message: ChatMessage, before: ChatMessage | undefined): boolean {
  return (
    before !== undefined &&
    before.sender === message.sender &&
    before.category !== 'action' &&
    message.category !== 'action' &&
    message.sentAt - before.sentAt < minutes
  )
}

/** What the service has made of the file of this place, where it has. */
export function thumbnailsOf({ metadata }: Message['data'], nth: number): Thumbnails | undefined {
  const { extensions } = Object(Object(metadata)['@injected'])
  const { attachments } = Object(Object(extensions)['thumbnail-generation'])
  const { data } = Object(Object(attachments)[nth])
  const { url_medium, url_large } = Object(Object(data).thumbnails)
  const [medium, large] = [safeUrl(url_medium), safeUrl(url_large)]
  return medium !== undefined && large !== undefined ? { medium, large } : undefined
}

/** An address that a page may open; undefined for one that would run code. */
export function safeUrl(url: unknown): string | undefined {
  return typeof url === 'string' && /^(?:https?|blob):/i.test(url) ? url : undefined
}
