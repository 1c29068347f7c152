import type { NotificationSettings, PushSettings } from '@chorale/contract/notifications'
import type { AppDb } from '../../database/app-db.ts'
import { Failure } from '../../pipeline/failure.ts'
import { findNotificationConfig } from './notification-config.sql.ts'
import { findPushSettings } from './providers/push-settings.sql.ts'
import { settingsOf } from './settings/settings.ts'
import { timezoneIn } from './settings/timezones.ts'

/** How an app notifies. */
export interface NotificationConfig {
  readonly settings: NotificationSettings
  /** Undefined: never saved, so that its flags say nothing. */
  readonly pushSettings: PushSettings | undefined
  /** Kinds of device that it can reach: through a provider, or through the push settings. */
  readonly reaches: ReadonlySet<string>
  readonly skipsOnline: boolean
  /** Whether all are notified of each of many changes of members. */
  readonly tellsBulk: boolean
  readonly region: string
  /** Of users who have named none. */
  readonly timezone: string
  /** Since when what is withheld is kept as well, for the log. */
  readonly logEnabledAt: number | null
}

const logSeconds = 7 * 86_400

export async function notificationConfigOf(db: AppDb): Promise<NotificationConfig> {
  const row = await findNotificationConfig(db)
  if (!row) throw new Failure('ERR_APP_NOT_FOUND', { appId: db.appId })
  const pushSettings = (await findPushSettings(db))?.settings
  const { pushKinds, region, skipsOnline, tellsBulk, logEnabledAt } = row
  return {
    settings: await settingsOf(db),
    pushSettings,
    reaches: new Set([...pushKinds, ...kindsOf(pushSettings)]),
    skipsOnline: skipsOnline ?? true,
    tellsBulk: tellsBulk ?? false,
    region,
    timezone: timezoneIn(region),
    logEnabledAt,
  }
}

/** Whether what became of a notification of now is kept to be read. */
export function isLogged({ logEnabledAt }: NotificationConfig, now: number): boolean {
  return logEnabledAt !== null && now < logEnabledAt + logSeconds
}

/** What the push settings hold credentials for. */
function kindsOf(settings: PushSettings | undefined): string[] {
  if (!settings) return []
  const { fcmCredentials, keyId, teamId, bundleId } = settings
  return [...(fcmCredentials ? ['fcm'] : []), ...(keyId && teamId && bundleId ? ['apns'] : [])]
}
