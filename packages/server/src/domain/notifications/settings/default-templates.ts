import type { NotificationSettings } from '@chorale/contract/notifications'

const titles = {
  titleOneOnOne: '{{senderDetails.name}}',
  titleGroup: '{{senderDetails.name}} in {{groupDetails.name}}',
}
const secret = { ...titles, body: 'New message' }
const secretMedia = {
  ...titles,
  body_image: 'New image',
  body_audio: 'New audio',
  body_video: 'New video',
  body_file: 'New file',
}
const unread = '{{messages.length}} new messages'

/** The words of an app that has chosen none of its own. */
export const defaultTemplates: NotificationSettings['templates'] = {
  usePrivacyTemplate: 3,
  textMessageTemplateDefault: { ...titles, body: '{{message.data.text}}' },
  textMessageTemplatePrivacy: secret,
  mediaMessageTemplateDefault: {
    ...titles,
    body_image: '📷 Image',
    body_audio: '🎵 Audio',
    body_video: '🎬 Video',
    body_file: '📄 File',
  },
  mediaMessageTemplatePrivacy: secretMedia,
  customMessageTemplateDefault: {
    ...titles,
    body: '{{message.data.text}}',
    body_fallback: 'New message',
  },
  customMessageTemplatePrivacy: { ...secret, body_fallback: 'New message' },
  interactiveFormTemplateDefault: {
    ...titles,
    body: 'Form: {{message.data.interactiveData.title}}',
  },
  interactiveFormTemplatePrivacy: secret,
  interactiveCardTemplateDefault: { ...titles, body: '{{message.data.interactiveData.text}}' },
  interactiveCardTemplatePrivacy: secret,
  interactiveSchedulerTemplateDefault: { ...titles, body: 'Choose a time to meet' },
  interactiveSchedulerTemplatePrivacy: secret,
  interactiveCustomTemplateDefault: { ...titles, body: 'New message' },
  interactiveCustomTemplatePrivacy: secret,
  emailSubjectTemplateDefault: {
    subjectOneOnOne: `${unread} from {{senderDetails.name}}`,
    subjectGroup: `${unread} in {{groupDetails.name}}`,
  },
  emailSubjectTemplatePrivacy: { subjectOneOnOne: unread, subjectGroup: unread },
  smsContentTemplateDefault: {
    bodyOneOnOne: `${unread} from {{senderDetails.name}}`,
    bodyGroup: `${unread} in {{groupDetails.name}}`,
  },
  smsContentTemplatePrivacy: { bodyOneOnOne: unread, bodyGroup: unread },
}
