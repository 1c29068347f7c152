import type {
  NotificationPreferences,
  NotificationSettings,
  notificationPreferences,
} from '@chorale/contract/notifications'
import type { Handlers } from '../../../pipeline/handler.ts'
import { requireUser } from '../../users/index.ts'
import {
  asChoices,
  chosenBy,
  effectivePreferences,
  type UserPreferences,
} from './effective-preferences.ts'
import { clearChoices, mergeChoices, readChoices } from './preferences.sql.ts'
import { settingsOf } from './settings.ts'

export const notificationPreferenceHandlers: Handlers<typeof notificationPreferences> = {
  async getNotificationPreferences({ query: { uid } }, ctx) {
    await requireUser(ctx, uid)
    return { data: shown(await settingsOf(ctx.db), await readChoices(ctx.db, uid)) }
  },

  async updateNotificationPreferences({ query: { uid }, body }, ctx) {
    await requireUser(ctx, uid)
    const settings = await settingsOf(ctx.db)
    await mergeChoices(ctx.db, uid, chosenBy(settings, body))
    return { data: shown(settings, await readChoices(ctx.db, uid)) }
  },

  async deleteNotificationPreferences({ query: { uid } }, ctx) {
    await requireUser(ctx, uid)
    await clearChoices(ctx.db, uid)
    return { data: asChoices(effectivePreferences(await settingsOf(ctx.db), {})) }
  },
}

/** Without what is no business of a user: edits and deletions, calls, mails. */
function shown(settings: NotificationSettings, user: UserPreferences): NotificationPreferences {
  const { preferences, usePrivacyTemplate } = effectivePreferences(settings, user)
  return {
    preferences: {
      group: withoutActions(preferences.group),
      oneOnOne: withoutActions(preferences.oneOnOne),
      mute: preferences.mute,
    },
    sound: settings.sound,
    templates: withoutDigests(settings.templates),
    usePrivacyTemplate,
  }
}

function withoutActions<T extends NotificationSettings['preferences']['oneOnOne']>(choices: T) {
  const { messageEditedSetting: _, messageDeletedSetting: __, ...rest } = choices
  return rest
}

function withoutDigests({
  emailSubjectTemplateDefault: _,
  emailSubjectTemplatePrivacy: __,
  smsContentTemplateDefault: ___,
  smsContentTemplatePrivacy: ____,
  ...rest
}: NotificationSettings['templates']) {
  return rest
}
