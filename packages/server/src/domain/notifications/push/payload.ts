import type { Message } from '@chorale/contract/conversations'
import type { NotificationSettings } from '@chorale/contract/notifications'
import { isCallTrigger, isMemberTrigger, type Trigger } from '../decide.ts'
import { maxBodyBytes, maxTitleBytes, type PushTexts } from './push-texts.ts'
import { bytesInJson, trimmed } from './trim.ts'

type PushSettings = NotificationSettings['preferences']['push']

/** One side of a push: a user or a group. */
interface Side {
  readonly id: string
  readonly name: string
  readonly avatar?: string | undefined
}

export interface PushFacts {
  readonly trigger: Trigger
  readonly texts: PushTexts
  readonly sender: Side
  readonly receiver: Side
  /** What it is about, as the recipient sees it: the message, the action message or the call. */
  readonly message: Message
  readonly call?: { readonly sessionId: string; readonly type: 'audio' | 'video' }
  readonly settings: PushSettings
  /** Whether the recipient gets privacy templates, and so no message either. */
  readonly usePrivacyTemplate: boolean
}

/** All that a push carries: texts, under names that devices know. */
export type PushData = Readonly<Record<string, string>>

/** What FCM and APNs take. Both say title and body a second time, and some words of their own. */
const maxBytes = 4096
const aroundIt = 300
const maxNameBytes = 128

/** What is too much is left out: the message first, then pictures, then the JSON of the app. */
export function payloadOf(facts: PushFacts): PushData {
  const { sender, receiver, message, settings, trigger } = facts
  const title = trimmed(facts.texts.title, maxTitleBytes)
  const body = trimmed(facts.texts.body, maxBodyBytes)
  const data: Record<string, string> = {
    title,
    body,
    sender: sender.id,
    senderName: trimmed(sender.name, maxNameBytes),
    receiver: receiver.id,
    receiverName: trimmed(receiver.name, maxNameBytes),
    receiverType: message.receiverType,
    tag: isMemberTrigger(trigger) ? receiver.id : message.id,
    conversationId: message.conversationId,
    type: isCallTrigger(trigger) ? 'call' : 'chat',
    sentAt: String(message.sentAt * 1000),
    ...callFields(facts),
  }
  let room = maxBytes - aroundIt - bytesInJson(title) - bytesInJson(body) - sizeOf(data)
  const add = (name: string, text: string | undefined) => {
    const size = text === undefined ? 0 : fieldSize(name, text)
    if (text === undefined || size > room) return
    data[name] = text
    room -= size
  }
  const custom = JSON.stringify(settings.customJson)
  add('custom', custom === '{}' ? undefined : custom)
  add('senderAvatar', sender.avatar)
  add('receiverAvatar', receiver.avatar)
  if (settings.includeMessageObjectSetting && !facts.usePrivacyTemplate) {
    add('message', messageWithin(room, message, settings))
  }
  return data
}

function callFields({ trigger, call }: PushFacts): PushData {
  if (!isCallTrigger(trigger) || !call) return {}
  return {
    callAction: trigger,
    sessionId: trimmed(call.sessionId, maxNameBytes),
    callType: call.type,
  }
}

function sizeOf(data: PushData): number {
  return Buffer.byteLength(JSON.stringify(data))
}

/** With its name, quotes, colon and comma. */
function fieldSize(name: string, text: string): number {
  return `"${name}":"",`.length + bytesInJson(text)
}

/** As JSON, its text cut to the room if the app says so. */
function messageWithin(room: number, message: Message, settings: PushSettings): string {
  const shortened = withoutMetadata(message, settings)
  const whole = JSON.stringify(shortened)
  const { text } = shortened.data
  if (!settings.trimTextFieldSetting || text === undefined) return whole
  if (fieldSize('message', whole) <= room) return whole
  const withText = (cut: string) =>
    JSON.stringify({ ...shortened, data: { ...shortened.data, text: cut } })
  const left = room - fieldSize('message', withText(''))
  return withText(trimmed(text, left, bytesInInnerJson))
}

/** Of a text in a JSON text in a JSON text; both pairs of quotes are not its own. */
function bytesInInnerJson(text: string): number {
  return bytesInJson(JSON.stringify(text)) - 4
}

type Included = Pick<
  PushSettings,
  | 'includeSenderMetadataSetting'
  | 'includeReceiverMetadataSetting'
  | 'includeMessageMetadataSetting'
>

/** With no other metadata than the app wants sent. */
export function withoutMetadata(message: Message, settings: Included): Message {
  const { metadata, entities, ...data } = message.data
  const { sender, receiver, ...others } = entities ?? {}
  return {
    ...message,
    data: {
      ...data,
      ...(metadata && settings.includeMessageMetadataSetting && { metadata }),
      entities: {
        ...others,
        ...(sender && { sender: seen(sender, settings.includeSenderMetadataSetting) }),
        ...(receiver && { receiver: seen(receiver, settings.includeReceiverMetadataSetting) }),
      },
    },
  }
}

function seen<T extends { entity: { metadata?: unknown } }>(side: T, withMetadata: boolean): T {
  if (withMetadata) return side
  const { metadata: _, ...entity } = side.entity
  return { ...side, entity }
}
