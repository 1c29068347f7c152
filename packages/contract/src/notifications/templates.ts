import { Type } from 'typebox'
import { Privacy } from './fields.ts'

const Text = Type.String({
  maxLength: 1000,
  description: 'May hold placeholders such as `{{message.data.text}}`.',
})

const titles = { titleOneOnOne: Text, titleGroup: Text }
const plain = { ...titles, body: Text }
const media = { ...titles, body_image: Text, body_audio: Text, body_video: Text, body_file: Text }
const custom = { ...plain, body_fallback: Text }
const subject = { subjectOneOnOne: Text, subjectGroup: Text }
const content = { bodyOneOnOne: Text, bodyGroup: Text }

/** What a push says, each in the default form and in the one that keeps a secret. */
export const pushTemplates = {
  textMessageTemplateDefault: plain,
  textMessageTemplatePrivacy: plain,
  mediaMessageTemplateDefault: media,
  mediaMessageTemplatePrivacy: media,
  customMessageTemplateDefault: custom,
  customMessageTemplatePrivacy: custom,
  interactiveFormTemplateDefault: plain,
  interactiveFormTemplatePrivacy: plain,
  interactiveCardTemplateDefault: plain,
  interactiveCardTemplatePrivacy: plain,
  interactiveSchedulerTemplateDefault: plain,
  interactiveSchedulerTemplatePrivacy: plain,
  interactiveCustomTemplateDefault: plain,
  interactiveCustomTemplatePrivacy: plain,
}

/** What an e-mail or an SMS about unread messages says. */
export const digestTemplates = {
  emailSubjectTemplateDefault: subject,
  emailSubjectTemplatePrivacy: subject,
  smsContentTemplateDefault: content,
  smsContentTemplatePrivacy: content,
}

export const templateChoice = { usePrivacyTemplate: Privacy }
