import { type Static, Type } from 'typebox'
import { Data, Outcome } from '../envelope.ts'
import { operations } from '../operation.ts'

const Address = Type.String({
  maxLength: 2048,
  format: 'uri',
  'x-objection': 'Use a whole address, such as https://example.com/push',
  description: 'Called once for each recipient; must answer 200 within two seconds.',
})
const Name = Type.String({ maxLength: 200 })
const flag = Type.Optional(Type.Boolean())

/** What all three channels have; a call may leave most of it out. */
const basic = {
  isEnabled: flag,
  useBasicAuth: flag,
  basicAuthUsername: Type.Optional(Name),
  basicAuthPassword: Type.Optional(Name),
}
const change = { ...basic, webhookURL: Type.Optional(Address) }
const CustomChange = Type.Object({
  ...change,
  useStoredPhNo: flag,
  useStoredEmailID: flag,
})
export type CustomChange = Static<typeof CustomChange>

const shown = {
  isEnabled: Type.Boolean(),
  webhookURL: Type.String(),
  useBasicAuth: Type.Boolean(),
  basicAuthUsername: Type.String(),
  basicAuthPassword: Type.String(),
}
const PushProviders = Data(Type.Object({ pushProviders: Type.Array(Type.Object(shown)) }))
const SmsProvider = Data(Type.Object({ ...shown, useStoredPhNo: Type.Boolean() }))
const EmailProvider = Data(Type.Object({ ...shown, useStoredEmailID: Type.Boolean() }))

const shared = { tag: 'Notifications', requires: 'fullAccess' } as const
const get = { ...shared, method: 'GET', effect: 'read' } as const
const create = { ...shared, method: 'POST', effect: 'write', audit: true, errors: [] } as const
const update = {
  ...shared,
  method: 'PUT',
  effect: 'write',
  audit: true,
  errors: ['ERR_PROVIDER_NOT_FOUND'],
} as const
const remove = { ...update, method: 'DELETE', response: Data(Outcome) } as const

const push = { path: '/notifications/push/v1/providers/custom', response: PushProviders } as const
const sms = { path: '/notifications/sms/v1/providers/custom', response: SmsProvider } as const
const email = { path: '/notifications/email/v1/providers/custom', response: EmailProvider } as const

export const customProviders = operations({
  listCustomPushProviders: {
    ...get,
    ...push,
    summary: 'Get the address that takes pushes',
    description:
      'Answers the address of your own to which pushes are sent, as a list with one item, or ' +
      'none. The password is masked.',
    errors: [],
  },
  createCustomPushProvider: {
    ...create,
    ...push,
    summary: 'Have pushes sent to an address',
    description:
      'Has pushes sent to an address of your own, which is called once for each recipient. It ' +
      'takes the place of an address that was set before. Refused when the address may not be ' +
      'called.',
    body: Type.Object({
      isEnabled: Type.Boolean(),
      webhookURL: Address,
      useBasicAuth: Type.Boolean(),
      basicAuthUsername: Name,
      basicAuthPassword: Name,
    }),
  },
  updateCustomPushProvider: {
    ...update,
    ...push,
    summary: 'Change the address that takes pushes',
    description:
      'Changes the address to which pushes are sent; fields that are not sent stay as they are.',
    body: Type.Object(change),
  },
  deleteCustomPushProvider: {
    ...remove,
    path: push.path,
    summary: 'Delete the address that takes pushes',
    description: 'Deletes the address to which pushes are sent.',
  },
  getCustomSmsProvider: {
    ...get,
    ...sms,
    summary: 'Get the address that takes SMS',
    description: 'Answers the address of your own to which SMS are sent. The password is masked.',
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  createCustomSmsProvider: {
    ...create,
    ...sms,
    summary: 'Have SMS sent to an address',
    description:
      'Has SMS sent to an address of your own, which is called once for each recipient. It ' +
      'takes the place of an address that was set before.',
    body: Type.Object({ ...basic, webhookURL: Address, useStoredPhNo: Type.Boolean() }),
  },
  updateCustomSmsProvider: {
    ...update,
    ...sms,
    summary: 'Change the address that takes SMS',
    description:
      'Changes the address to which SMS are sent; fields that are not sent stay as they are.',
    body: Type.Object({ ...change, useStoredPhNo: flag }),
  },
  deleteCustomSmsProvider: {
    ...remove,
    path: sms.path,
    summary: 'Delete the address that takes SMS',
    description: 'Deletes the address to which SMS are sent.',
  },
  getCustomEmailProvider: {
    ...get,
    ...email,
    summary: 'Get the address that takes e-mail',
    description:
      'Answers the address of your own to which e-mails are sent. The password is masked.',
    errors: ['ERR_PROVIDER_NOT_FOUND'],
  },
  createCustomEmailProvider: {
    ...create,
    ...email,
    summary: 'Have e-mail sent to an address',
    description:
      'Has e-mails sent to an address of your own, which is called once for each recipient. It ' +
      'takes the place of an address that was set before.',
    body: Type.Object({ ...basic, webhookURL: Address, useStoredEmailID: flag }),
  },
  updateCustomEmailProvider: {
    ...update,
    ...email,
    summary: 'Change the address that takes e-mail',
    description:
      'Changes the address to which e-mails are sent; fields that are not sent stay as they ' +
      'are.',
    body: Type.Object({ ...change, useStoredEmailID: flag }),
  },
  deleteCustomEmailProvider: {
    ...remove,
    path: email.path,
    summary: 'Delete the address that takes e-mail',
    description: 'Deletes the address to which e-mails are sent.',
  },
})
