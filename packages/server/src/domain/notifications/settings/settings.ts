import type { NotificationSettings, notificationSettings } from '@chorale/contract/notifications'
import type { AppDb } from '../../../database/app-db.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import { defaultSettings } from './default-settings.ts'
import { flattened, overlaid } from './flat-tree.ts'
import { deleteSettings, mergeSettings, readStoredSettings } from './settings.sql.ts'

export const notificationSettingHandlers: Handlers<typeof notificationSettings> = {
  async getNotificationSettings(_, { db }) {
    return { data: await settingsOf(db) }
  },

  async updateNotificationSettings({ body }, { db }) {
    await mergeSettings(db, flattened(defaultSettings, body))
    return { data: { success: true } }
  },

  async resetNotificationSettings(_, { db }) {
    await deleteSettings(db)
    return { data: { success: true } }
  },
}

/** What the app has set, on its defaults. */
export async function settingsOf(db: AppDb): Promise<NotificationSettings> {
  return overlaid(defaultSettings, await readStoredSettings(db))
}
