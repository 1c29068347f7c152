import type { NotificationSettings } from '@chorale/contract/notifications'
import { isCallTrigger, isMemberTrigger, type MemberTrigger, type Trigger } from '../decide.ts'
import { type RenderContext, render } from '../render.ts'

type Templates = NotificationSettings['templates']

/** What a push is about. */
export interface PushSubject {
  readonly trigger: Trigger
  readonly category: string
  readonly type: string
  readonly receiverType: 'user' | 'group'
  /** Whether the recipient gets the templates that keep a secret. */
  readonly usePrivacyTemplate: boolean
}

export interface PushTexts {
  readonly title: string
  readonly body: string
}

export const maxTitleBytes = 256
export const maxBodyBytes = 1024

const by = '{{message.data.entities.by.entity.name}}'
const on = '{{message.data.entities.on.entity.name}}'

/** No template of the app speaks of these. */
const memberTexts: Readonly<Record<MemberTrigger, string>> = {
  after_group_joined: `${by} joined`,
  after_group_left: `${by} left`,
  after_group_members_added: `${by} added ${on}`,
  after_group_members_kicked: `${by} removed ${on}`,
  after_group_members_banned: `${by} banned ${on}`,
  after_group_members_unbanned: `${by} unbanned ${on}`,
  after_scope_changed: `${by} made ${on} {{message.data.newScope}}`,
}

/** Title and body of a push, in the words of the app. */
export function pushTexts(
  templates: Templates,
  subject: PushSubject,
  context: RenderContext,
): PushTexts {
  const { title, body, fallback } = wordsFor(templates, subject)
  return {
    title: render(title, context, { maxBytes: maxTitleBytes }),
    body: render(body, context, { fallback, maxBytes: maxBodyBytes }),
  }
}

interface Words {
  readonly title: string
  readonly body: string
  readonly fallback?: string
}

function wordsFor(templates: Templates, subject: PushSubject): Words {
  const { trigger, usePrivacyTemplate } = subject
  if (isCallTrigger(trigger)) {
    const body = subject.type === 'video' ? 'VIDEO CALL' : 'AUDIO CALL'
    return { title: '{{senderDetails.name}}', body }
  }
  if (isMemberTrigger(trigger)) {
    return { title: '{{groupDetails.name}}', body: memberTexts[trigger] }
  }
  const words = messageWords(templates, subject)
  if (trigger === 'message_deleted') return { ...words, body: 'This message was deleted' }
  if (trigger !== 'message_reaction_added') return words
  return { ...words, body: usePrivacyTemplate ? 'New reaction' : 'Reacted {{reaction}}' }
}

function messageWords(templates: Templates, subject: PushSubject): Words {
  const { category, type, receiverType } = subject
  const form = subject.usePrivacyTemplate ? 'Privacy' : 'Default'
  const titleOf = ({ titleGroup, titleOneOnOne }: { titleGroup: string; titleOneOnOne: string }) =>
    receiverType === 'group' ? titleGroup : titleOneOnOne
  if (category === 'message' && isMedia(type)) {
    const media = templates[`mediaMessageTemplate${form}`]
    return { title: titleOf(media), body: media[`body_${type}`] }
  }
  if (category === 'message' && type === 'text') {
    const text = templates[`textMessageTemplate${form}`]
    return { title: titleOf(text), body: text.body }
  }
  if (category === 'interactive') {
    const { body, ...titles } = templates[`interactive${elementOf(type)}Template${form}`]
    return { title: titleOf(titles), body }
  }
  const { body, body_fallback: fallback, ...titles } = templates[`customMessageTemplate${form}`]
  return { title: titleOf(titles), body, fallback }
}

function isMedia(type: string): type is 'image' | 'audio' | 'video' | 'file' {
  return ['image', 'audio', 'video', 'file'].includes(type)
}

function elementOf(type: string) {
  if (type === 'form') return 'Form'
  if (type === 'card') return 'Card'
  return type === 'scheduler' ? 'Scheduler' : 'Custom'
}
