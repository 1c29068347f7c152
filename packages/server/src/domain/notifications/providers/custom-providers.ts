import type { CustomChange, customProviders } from '@chorale/contract/notifications'
import { objectionToUrl, type UrlRules } from '../../../egress/urls.ts'
import { badRequest } from '../../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../../pipeline/handler.ts'
import { hidden } from '../../../vault/mask.ts'
import { type Channel, findProvider, type ProviderKey } from './providers.sql.ts'
import {
  accessProvider,
  changeProvider,
  opened,
  type Provider,
  type ProviderChange,
  removeProvider,
  storeProvider,
} from './providers.ts'

const deleted = { data: { success: true, message: 'The provider is deleted.' } }

/** A server of the app's own, which takes what is to be sent. */
export function customProviderHandlers(rules: UrlRules): Handlers<typeof customProviders> {
  const create = (channel: Channel) => async (body: CustomChange, ctx: WriteCtx) => {
    await storeProvider(ctx, keyOf(channel), checked(body, rules))
    return accessProvider(ctx, keyOf(channel))
  }
  const change = (channel: Channel) => async (body: CustomChange, ctx: WriteCtx) => {
    await changeProvider(ctx, keyOf(channel), checked(body, rules))
    return accessProvider(ctx, keyOf(channel))
  }
  const remove = (channel: Channel) => async (_: unknown, ctx: WriteCtx) => {
    await removeProvider(ctx, keyOf(channel))
    return deleted
  }
  return {
    async listCustomPushProviders(_, ctx) {
      const row = await findProvider(ctx.db, keyOf('push'))
      return { data: { pushProviders: row ? [shown(opened(ctx, row))] : [] } }
    },
    createCustomPushProvider: async ({ body }, ctx) => inList(await create('push')(body, ctx)),
    updateCustomPushProvider: async ({ body }, ctx) => inList(await change('push')(body, ctx)),
    deleteCustomPushProvider: remove('push'),

    getCustomSmsProvider: async (_, ctx) => forSms(await accessProvider(ctx, keyOf('sms'))),
    createCustomSmsProvider: async ({ body }, ctx) => forSms(await create('sms')(body, ctx)),
    updateCustomSmsProvider: async ({ body }, ctx) => forSms(await change('sms')(body, ctx)),
    deleteCustomSmsProvider: remove('sms'),

    getCustomEmailProvider: async (_, ctx) => forEmail(await accessProvider(ctx, keyOf('email'))),
    createCustomEmailProvider: async ({ body }, ctx) => forEmail(await create('email')(body, ctx)),
    updateCustomEmailProvider: async ({ body }, ctx) => forEmail(await change('email')(body, ctx)),
    deleteCustomEmailProvider: remove('email'),
  }
}

function keyOf(channel: Channel): ProviderKey {
  return { channel, kind: 'custom', providerId: 'custom' }
}

function checked(body: CustomChange, rules: UrlRules): ProviderChange {
  const { basicAuthPassword: secret, isEnabled, ...settings } = body
  const objection = settings.webhookURL && objectionToUrl(settings.webhookURL, rules)
  if (objection) throw badRequest('webhookURL', objection)
  return { settings, secret, isEnabled }
}

function settingsOf(provider: Provider): CustomChange {
  // Written by `checked`.
  return provider.settings as CustomChange
}

function shown(provider: Provider) {
  const { webhookURL = '', useBasicAuth = false, basicAuthUsername = '' } = settingsOf(provider)
  const basicAuthPassword = provider.secret === '' ? '' : hidden
  const { isEnabled } = provider
  return { isEnabled, webhookURL, useBasicAuth, basicAuthUsername, basicAuthPassword }
}

function inList(provider: Provider) {
  return { data: { pushProviders: [shown(provider)] } }
}

function forSms(provider: Provider) {
  const { useStoredPhNo = false } = settingsOf(provider)
  return { data: { ...shown(provider), useStoredPhNo } }
}

function forEmail(provider: Provider) {
  const { useStoredEmailID = false } = settingsOf(provider)
  return { data: { ...shown(provider), useStoredEmailID } }
}
