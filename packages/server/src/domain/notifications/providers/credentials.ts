import {
  type FcmProvider,
  notificationInPayloadDefaults,
  type PushSettings,
} from '@chorale/contract/notifications'
import type { AppDb } from '../../../database/app-db.ts'
import type { ApnsCredentials } from '../../../transports/apns.ts'
import type { FcmCredentials } from '../../../transports/fcm.ts'
import type { WebPushKeys } from '../../../transports/web-push.ts'
import type { Vault } from '../../../vault/vault.ts'
import { type OwnServer, ownServerOf } from './own-server.ts'
import { findProvider, type ProviderKind } from './providers.sql.ts'
import { opened, type Provider } from './providers.ts'
import { openCertificate } from './push-certificates.ts'
import { openPushSettings } from './push-settings.ts'

/** By whom a device is reached, with all that takes. */
export type Credentials =
  | {
      readonly kind: 'fcm'
      readonly account: FcmCredentials
      /** Whether the system itself shows it, on such a device. */
      readonly showsOn: (platform: string, type: 'chat' | 'call') => boolean
    }
  | {
      readonly kind: 'apns'
      readonly signs: ApnsCredentials
      readonly topic: string
      readonly environment: 'production' | 'sandbox'
      readonly contentAvailable: boolean
      readonly mutableContent: boolean
    }
  | { readonly kind: 'web'; readonly keys: WebPushKeys }
  | (OwnServer & { readonly kind: 'custom' })

/** Undefined: there is no such provider, or it is switched off. */
export async function credentialsOf(
  at: { readonly db: AppDb; readonly vault: Vault },
  kind: ProviderKind,
  providerId: string | null,
): Promise<Credentials | undefined> {
  if (providerId === null) return ofPushSettings(at, kind)
  const row = await findProvider(at.db, { channel: 'push', kind, providerId })
  return row?.isEnabled ? ofProvider(opened(at, row)) : undefined
}

/** The settings are what the handlers of providers have let through. */
function ofProvider({ kind, settings, secret }: Provider): Credentials | undefined {
  const text = (name: string) => String(settings[name] ?? '')
  if (kind === 'web') {
    // Whoever runs a push service finds the address of the install in its logs.
    const subject = 'mailto:push@localhost'
    return { kind, keys: { publicKey: text('publicKey'), privateKey: secret, subject } }
  }
  if (kind === 'custom') return { kind, ...ownServerOf({ settings, secret }) }
  if (kind === 'apns') {
    return {
      kind,
      signs: { kind: 'key', teamId: text('teamId'), keyId: text('keyId'), key: secret },
      topic: text('bundleId'),
      environment: settings.productionMode === false ? 'sandbox' : 'production',
      contentAvailable: settings.includeContentAvailable === true,
      mutableContent: settings.includeMutableContent === true,
    }
  }
  if (kind !== 'fcm') return undefined
  const { serviceAccountCreds, notificationInPayload } = settings as unknown as FcmProvider
  const { project_id, client_email, private_key_id } = serviceAccountCreds ?? {}
  return {
    kind,
    account: {
      projectId: project_id ?? '',
      clientEmail: client_email ?? '',
      privateKey: secret,
      privateKeyId: private_key_id ?? '',
    },
    showsOn: (platform, type) => notificationInPayload?.[systemOf(platform)]?.[type] ?? false,
  }
}

function systemOf(platform: string): 'ios' | 'android' | 'web' {
  if (platform.includes('ios')) return 'ios'
  return platform.includes('web') ? 'web' : 'android'
}

async function ofPushSettings(
  { db, vault }: { readonly db: AppDb; readonly vault: Vault },
  kind: ProviderKind,
): Promise<Credentials | undefined> {
  const settings = await openPushSettings(db, vault)
  if (kind === 'fcm' && settings?.fcmCredentials) return fcmOf(settings)
  const { keyId, teamId, bundleId, useP8 = true, sendApnsProduction = true } = settings ?? {}
  if (kind !== 'apns' || !bundleId) return undefined
  const file = await openCertificate(db, vault, useP8 ? 'p8' : 'p12')
  if (!file) return undefined
  const bundle = Buffer.from(file.certificate, 'base64')
  return {
    kind,
    signs: useP8
      ? { kind: 'key', teamId: teamId ?? '', keyId: keyId ?? '', key: bundle.toString('utf8') }
      : { kind: 'certificate', bundle, ...(file.password && { password: file.password }) },
    topic: bundleId,
    environment: sendApnsProduction ? 'production' : 'sandbox',
    contentAvailable: true,
    mutableContent: true,
  }
}

function fcmOf({ fcmCredentials = {}, notificationInPayload }: PushSettings): Credentials {
  const { project_id, client_email, private_key, private_key_id } = fcmCredentials
  const shows = { ...notificationInPayloadDefaults, ...notificationInPayload }
  return {
    kind: 'fcm',
    account: {
      projectId: project_id ?? '',
      clientEmail: client_email ?? '',
      privateKey: private_key ?? '',
      privateKeyId: private_key_id ?? '',
    },
    showsOn: (platform) => shows[familyOf(platform)],
  }
}

/** The push settings tell apps apart by what they were built with. */
function familyOf(platform: string): keyof typeof notificationInPayloadDefaults {
  for (const family of ['ionic_cordova', 'react_native', 'flutter'] as const) {
    if (platform.includes(family)) return family
  }
  return systemOf(platform)
}
