import {
  notificationInPayloadDefaults,
  type PushSettings,
  payloadOptionDefaults,
  type pushSettings,
  pushSwitchDefaults,
} from '@chorale/contract/notifications'
import type { AppDb } from '../../../database/app-db.ts'
import { Failure, invalid } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { isMaskOf, mask } from '../../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { SealedPlace, Vault } from '../../../vault/vault.ts'
import { lockApp } from '../../apps/index.ts'
import { extensionAnswer } from '../settings/extensions.ts'
import {
  deletePushSettings,
  findPushSettings,
  type PushSettingsRow,
  writePushSettings,
} from './push-settings.sql.ts'

/** Whether an answer holds the private key, as the interface wants it, or only its end. */
export type SecretsAre = 'shown' | 'masked'

export function pushSettingHandlers(secretsAre: SecretsAre): Handlers<typeof pushSettings> {
  const save = async ({ body }: { body: { settings: PushSettings } }, ctx: WriteCtx) => {
    await lockApp(ctx.db)
    const before = await openPushSettings(ctx.db, ctx.vault)
    const settings = merged(before ?? {}, body.settings)
    requireFirst(settings)
    await writePushSettings(ctx.db, sealed(ctx, settings), ctx.now)
    return { settings: shown(ctx, settings, secretsAre) }
  }
  return {
    createPushSettings: save,
    updatePushSettings: save,

    async getPushSettings(_, ctx) {
      const settings = await openPushSettings(ctx.db, ctx.vault)
      if (!settings) throw new Failure('ERR_PUSH_SETTINGS_NOT_FOUND', { appId: ctx.db.appId })
      return { settings: shown(ctx, settings, secretsAre) }
    },

    async deletePushSettings(_, ctx) {
      await deletePushSettings(ctx.db)
      return { data: extensionAnswer({ data: { success: true } }) }
    },
  }
}

/** Field by field; an object takes the place of the one before. */
function merged(before: PushSettings, sent: PushSettings): PushSettings {
  const { fcmCredentials, serviceMessagePayloadOptions, cometchatMessagePayloadOptions } = sent
  const { serviceMessagePayloadOptions: _, cometchatMessagePayloadOptions: __, ...rest } = before
  const renamed = serviceMessagePayloadOptions ?? cometchatMessagePayloadOptions
  return {
    ...(renamed ? rest : before),
    ...sent,
    ...(fcmCredentials && {
      fcmCredentials: withKeptKey(fcmCredentials, before.fcmCredentials?.private_key),
    }),
  }
}

/** Whoever saves what was shown masked has not meant to change the key. */
function withKeptKey(
  sent: NonNullable<PushSettings['fcmCredentials']>,
  key: string | undefined,
): NonNullable<PushSettings['fcmCredentials']> {
  const kept = key !== undefined && isMaskOf(sent.private_key, key)
  return kept ? { ...sent, private_key: key } : sent
}

function requireFirst({ version, pushProvider }: PushSettings): void {
  const missing = Object.entries({ version, pushProvider }).filter(
    ([, value]) => value === undefined,
  )
  if (missing.length === 0) return
  const details = missing.map(([name]) => [
    `settings.${name}`,
    ['The first save needs this field.'],
  ])
  throw invalid(Object.fromEntries(details))
}

/** With the private key in them. */
export async function openPushSettings(db: AppDb, vault: Vault): Promise<PushSettings | undefined> {
  const row = await findPushSettings(db)
  if (!row?.privateKeyEncrypted) return row?.settings
  const privateKey = vault.open(row.privateKeyEncrypted, keyPlace(db.appId))
  const { fcmCredentials, ...rest } = row.settings
  return { ...rest, fcmCredentials: { ...fcmCredentials, private_key: privateKey } }
}

function sealed({ db, vault }: ReadCtx, settings: PushSettings): PushSettingsRow {
  const { private_key: key, ...credentials } = settings.fcmCredentials ?? {}
  return {
    settings: { ...settings, ...(settings.fcmCredentials && { fcmCredentials: credentials }) },
    privateKeyEncrypted: key === undefined ? null : vault.seal(key, keyPlace(db.appId)),
  }
}

function keyPlace(appId: string): SealedPlace {
  return placeIn(sealedColumns.pushPrivateKey, appId)
}

/** With the defaults of whatever was never set. The options keep the name they were sent under. */
function shown({ db }: ReadCtx, settings: PushSettings, secretsAre: SecretsAre): PushSettings {
  const { fcmCredentials: credentials, cometchatMessagePayloadOptions: theirs } = settings
  const key = credentials?.private_key
  const ours = settings.serviceMessagePayloadOptions ?? (theirs ? undefined : {})
  return {
    appId: db.appId,
    ...pushSwitchDefaults,
    ...settings,
    notificationInPayload: { ...notificationInPayloadDefaults, ...settings.notificationInPayload },
    ...(ours && { serviceMessagePayloadOptions: { ...payloadOptionDefaults, ...ours } }),
    ...(theirs && { cometchatMessagePayloadOptions: { ...payloadOptionDefaults, ...theirs } }),
    ...(key !== undefined &&
      secretsAre === 'masked' && {
        fcmCredentials: { ...credentials, private_key: mask(key) },
      }),
  }
}
