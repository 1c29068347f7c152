import { type Static, Type } from 'typebox'
import { Data, Outcome } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

const text = Type.String({ minLength: 1, maxLength: 300 })
const flag = Type.Optional(Type.Boolean())

const twilio = {
  twilioAccountSID: text,
  twilioAuthToken: text,
  twilioSenderPhoneNumber: text,
}
const NewTwilio = Type.Object({ ...twilio, isEnabled: flag })
const TwilioChange = Type.Partial(NewTwilio)
export type TwilioChange = Static<typeof TwilioChange>

const sendGrid = {
  sendGridApiKey: text,
  sendGridTemplateID: text,
  sendGridUnsubscribeGroupID: text,
  senderName: text,
  senderEmail: text,
}
const replies = {
  senderEmailForReplies: Type.Optional(Type.Union([text, Type.Null()])),
  isEnabled: flag,
}
const NewSendGrid = Type.Object({
  ...sendGrid,
  allowEmailReplies: withDefault(Type.Boolean(), false),
  ...replies,
})
const SendGridChange = Type.Object({
  ...Type.Partial(Type.Object(sendGrid)).properties,
  allowEmailReplies: flag,
  ...replies,
})
export type SendGridChange = Static<typeof SendGridChange>

const Twilio = Data(Type.Object({ ...twilio, isEnabled: Type.Boolean() }))
const SendGrid = Data(
  Type.Object({
    ...sendGrid,
    allowEmailReplies: Type.Boolean(),
    senderEmailForReplies: Type.String(),
    repliesWebhook: Type.String(),
    isEnabled: Type.Boolean(),
  }),
)

const shared = { tag: 'Notifications', requires: 'fullAccess' } as const
const get = {
  ...shared,
  method: 'GET',
  effect: 'read',
  errors: ['ERR_PROVIDER_NOT_FOUND'],
} as const
const create = { ...shared, method: 'POST', effect: 'write', audit: true, errors: [] } as const
const update = { ...get, method: 'PUT', effect: 'write', audit: true } as const
const remove = { ...update, method: 'DELETE', response: Data(Outcome) } as const

const ofTwilio = { path: '/notifications/sms/v1/providers/twilio', response: Twilio } as const
const ofSendGrid = {
  path: '/notifications/email/v1/providers/sendgrid',
  response: SendGrid,
} as const

/** Companies that carry SMS and e-mail. */
export const carriers = operations({
  getTwilio: {
    ...get,
    ...ofTwilio,
    summary: 'Get the account at Twilio',
    description: 'Answers the Twilio account through which SMS are sent. The token is masked.',
  },
  createTwilio: {
    ...create,
    ...ofTwilio,
    summary: 'Have SMS sent through an account at Twilio',
    description:
      'Has SMS sent through a Twilio account. It takes the place of an account that was set ' +
      'before; the token is stored encrypted.',
    body: NewTwilio,
  },
  updateTwilio: {
    ...update,
    ...ofTwilio,
    summary: 'Change the account at Twilio',
    description: 'Changes the Twilio account; fields that are not sent stay as they are.',
    body: TwilioChange,
  },
  deleteTwilio: {
    ...remove,
    path: ofTwilio.path,
    summary: 'Delete the account at Twilio',
    description: 'Deletes the Twilio account: no SMS is sent through it any more.',
  },
  getSendGrid: {
    ...get,
    ...ofSendGrid,
    summary: 'Get the account at SendGrid',
    description: 'Answers the SendGrid account through which e-mails are sent. The key is masked.',
  },
  createSendGrid: {
    ...create,
    ...ofSendGrid,
    summary: 'Have e-mail sent through an account at SendGrid',
    description:
      'Has e-mails sent through a SendGrid account. It takes the place of an account that was ' +
      'set before; the key is stored encrypted.',
    body: NewSendGrid,
  },
  updateSendGrid: {
    ...update,
    ...ofSendGrid,
    summary: 'Change the account at SendGrid',
    description: 'Changes the SendGrid account; fields that are not sent stay as they are.',
    body: SendGridChange,
  },
  deleteSendGrid: {
    ...remove,
    path: ofSendGrid.path,
    summary: 'Delete the account at SendGrid',
    description: 'Deletes the SendGrid account: no e-mail is sent through it any more.',
  },
})
