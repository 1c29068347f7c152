import type { carriers, SendGridChange, TwilioChange } from '@chorale/contract/notifications'
import type { Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { mask } from '../../../vault/mask.ts'
import type { ProviderKey } from './providers.sql.ts'
import {
  accessProvider,
  changeProvider,
  type ProviderChange,
  removeProvider,
  storeProvider,
} from './providers.ts'

const twilioKey: ProviderKey = { channel: 'sms', kind: 'twilio', providerId: 'twilio' }
const sendGridKey: ProviderKey = { channel: 'email', kind: 'sendgrid', providerId: 'sendgrid' }

const deleted = { data: { success: true, message: 'The account is deleted here.' } }

export const carrierHandlers: Handlers<typeof carriers> = {
  getTwilio: (_, ctx) => shownTwilio(ctx),

  async createTwilio({ body }, ctx) {
    await storeProvider(ctx, twilioKey, twilioChange(body))
    return shownTwilio(ctx)
  },

  async updateTwilio({ body }, ctx) {
    await changeProvider(ctx, twilioKey, twilioChange(body))
    return shownTwilio(ctx)
  },

  async deleteTwilio(_, ctx) {
    await removeProvider(ctx, twilioKey)
    return deleted
  },

  getSendGrid: (_, ctx) => shownSendGrid(ctx),

  async createSendGrid({ body }, ctx) {
    await storeProvider(ctx, sendGridKey, sendGridChange(body))
    return shownSendGrid(ctx)
  },

  async updateSendGrid({ body }, ctx) {
    await changeProvider(ctx, sendGridKey, sendGridChange(body))
    return shownSendGrid(ctx)
  },

  async deleteSendGrid(_, ctx) {
    await removeProvider(ctx, sendGridKey)
    return deleted
  },
}

function twilioChange({ twilioAuthToken: secret, isEnabled, ...settings }: TwilioChange) {
  return { settings, secret, isEnabled } satisfies ProviderChange
}

function sendGridChange({ sendGridApiKey: secret, isEnabled, ...settings }: SendGridChange) {
  return { settings, secret, isEnabled } satisfies ProviderChange
}

async function shownTwilio(ctx: ReadCtx) {
  const { settings, secret, isEnabled } = await accessProvider(ctx, twilioKey)
  // Written by `twilioChange`; the first call has all of it.
  const account = settings as Required<Omit<TwilioChange, 'twilioAuthToken' | 'isEnabled'>>
  return { data: { ...account, twilioAuthToken: mask(secret), isEnabled } }
}

async function shownSendGrid(ctx: ReadCtx) {
  const { settings, secret, isEnabled } = await accessProvider(ctx, sendGridKey)
  // Written by `sendGridChange`; the first call has all of it.
  const account = settings as Required<Omit<SendGridChange, 'sendGridApiKey' | 'isEnabled'>>
  return {
    data: {
      ...account,
      sendGridApiKey: mask(secret),
      senderEmailForReplies: account.senderEmailForReplies ?? '',
      // Replies by e-mail are not taken.
      repliesWebhook: '',
      isEnabled,
    },
  }
}
