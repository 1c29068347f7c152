import type {
  ApnsChange,
  ApnsProvider,
  FcmChange,
  FcmProvider,
  pushProviders,
} from '@chorale/contract/notifications'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { mask } from '../../../vault/mask.ts'
import { lockApp } from '../../apps/index.ts'
import { listProviders, type ProviderKey } from './providers.sql.ts'
import {
  changeProvider,
  makeDefault,
  opened,
  type Provider,
  type ProviderChange,
  removeProvider,
  storeProvider,
} from './providers.ts'

/** Of each kind. */
const maxProviders = 25

const done = { data: { success: true, message: 'Done.' } }

export const pushProviderHandlers: Handlers<typeof pushProviders> = {
  async listFcmProviders(_, ctx) {
    return { data: { pushProviders: (await providersOf(ctx, 'fcm')).map(shownFcm) } }
  },

  async createFcmProvider({ body }, ctx) {
    await addProvider(ctx, fcmKey(body.providerId), fcmChange(body))
    return done
  },

  async updateFcmProvider({ body }, ctx) {
    await changeProvider(ctx, fcmKey(body.providerId), fcmChange(body))
    return done
  },

  async deleteFcmProvider({ params }, ctx) {
    await removeProvider(ctx, fcmKey(params.providerId))
    return done
  },

  async setDefaultFcmProvider({ params }, ctx) {
    await makeDefault(ctx, fcmKey(params.providerId))
    return done
  },

  listApnsProviders: (_, ctx) => shownApnsProviders(ctx),

  async createApnsProvider({ body }, ctx) {
    await addProvider(ctx, apnsKey(body.providerId), apnsChange(body))
    return shownApnsProviders(ctx)
  },

  async updateApnsProvider({ body }, ctx) {
    await changeProvider(ctx, apnsKey(body.providerId), apnsChange(body))
    return done
  },

  async deleteApnsProvider({ params }, ctx) {
    await removeProvider(ctx, apnsKey(params.providerId))
    return done
  },

  async setDefaultApnsProvider({ params }, ctx) {
    await makeDefault(ctx, apnsKey(params.providerId))
    return done
  },
}

function fcmKey(providerId: string): ProviderKey {
  return { channel: 'push', kind: 'fcm', providerId }
}

function apnsKey(providerId: string): ProviderKey {
  return { channel: 'push', kind: 'apns', providerId }
}

async function providersOf(ctx: ReadCtx, kind: 'fcm' | 'apns'): Promise<Provider[]> {
  return (await listProviders(ctx.db, 'push', kind)).map((row) => opened(ctx, row))
}

async function addProvider(ctx: WriteCtx, key: ProviderKey, change: ProviderChange): Promise<void> {
  await lockApp(ctx.db)
  const { channel, kind, providerId } = key
  const there = await listProviders(ctx.db, channel, kind)
  if (there.some((provider) => provider.providerId === providerId)) {
    throw new Failure('ERR_PROVIDER_ALREADY_EXISTS', { providerId })
  }
  if (there.length >= maxProviders) {
    throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxProviders, what: 'providers' })
  }
  await storeProvider(ctx, key, change)
}

function fcmChange({ providerId: _, serviceAccountCreds, ...rest }: FcmChange): ProviderChange {
  const { private_key: secret, ...account } = serviceAccountCreds ?? {}
  const settings = { ...rest, ...(serviceAccountCreds && { serviceAccountCreds: account }) }
  return { settings, secret, isEnabled: undefined }
}

function apnsChange({ providerId: _, p8Key: secret, ...settings }: ApnsChange): ProviderChange {
  return { settings, secret, isEnabled: undefined }
}

function shownFcm(provider: Provider): FcmProvider {
  const { providerId, isDefault, createdAt, updatedAt, secret } = provider
  // Written by `fcmChange`.
  const settings = provider.settings as Omit<FcmChange, 'providerId'>
  const serviceAccountCreds = {
    ...settings.serviceAccountCreds,
    private_key: mask(secret),
  }
  return { ...settings, providerId, serviceAccountCreds, isDefault, createdAt, updatedAt }
}

async function shownApnsProviders(ctx: ReadCtx) {
  return { data: { pushProviders: (await providersOf(ctx, 'apns')).map(shownApns) } }
}

function shownApns(provider: Provider): ApnsProvider {
  const { providerId, isDefault, createdAt, updatedAt, secret } = provider
  // Written by `apnsChange`.
  const settings = provider.settings as Omit<ApnsChange, 'providerId'>
  return { ...settings, providerId, p8Key: mask(secret), isDefault, createdAt, updatedAt }
}
