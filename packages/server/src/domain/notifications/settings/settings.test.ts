import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { errorOf, send } from '../../../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { getNotificationSettings, updateNotificationSettings, resetNotificationSettings } =
  app.as('full')
const settingsNow = async () => (await getNotificationSettings()).data

describe('notification settings', () => {
  test('have their defaults until they are set, and again after a reset', async () => {
    const before = await settingsNow()
    expect(before.preferences).toMatchObject({
      bypassPreferencesForMentions: false,
      group: { messagesSetting: 2, messagesOverride: true, memberLeftSetting: 1 },
      oneOnOne: { reactionsSetting: 2, messageEditedSetting: 2, messageDeletedSetting: 2 },
      call: { initiatedSetting: 2, initiatedOverride: false },
      mute: { dndPreferenceSetting: 1, schedulePreferenceSetting: { sunday: { to: 2359 } } },
      email: { notifyForUnreadOnly: true, intervalInSeconds: 7200, maxPerDay: 20 },
      sms: { maxPerDayPerConversation: 2 },
      push: { includeMessageObjectSetting: false, trimTextFieldSetting: false, customJson: {} },
    })
    expect(before.sound).toEqual({ chat: 'default', call: 'default' })
    expect(before.templates.usePrivacyTemplate).toBe(3)

    const body = {
      preferences: {
        bypassPreferencesForMentions: true,
        group: { messagesSetting: 3 },
        mute: { schedulePreferenceSetting: { monday: { from: 900 } } },
      },
      templates: { textMessageTemplatePrivacy: { body: 'Psst' } },
    } as const
    expect(await updateNotificationSettings({ body })).toEqual({ data: { success: true } })
    const { preferences, templates } = await settingsNow()
    expect(preferences.group).toEqual({ ...before.preferences.group, messagesSetting: 3 })
    expect(preferences.mute.schedulePreferenceSetting.monday).toEqual({
      from: 900,
      to: 2359,
      dnd: false,
    })
    expect(templates.textMessageTemplatePrivacy).toEqual({
      ...before.templates.textMessageTemplatePrivacy,
      body: 'Psst',
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'updateNotificationSettings',
      target: { body },
    })

    await updateNotificationSettings({ body: { sound: { call: 'bell' } } })
    expect(await settingsNow()).toEqual({
      preferences,
      templates,
      sound: { chat: 'default', call: 'bell' },
    })
    expect(await resetNotificationSettings()).toEqual({ data: { success: true } })
    expect(await settingsNow()).toEqual(before)
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'resetNotificationSettings',
    })
  })

  test('the JSON of the app is replaced as a whole, never merged', async () => {
    const set = (customJson: Record<string, unknown>) =>
      updateNotificationSettings({ body: { preferences: { push: { customJson } } } })
    await set({ theme: { colour: 'red' }, n: 1 })
    await set({ theme: { size: 2 } })
    expect((await settingsNow()).preferences.push.customJson).toEqual({ theme: { size: 2 } })
    await set({})
    expect((await settingsNow()).preferences.push.customJson).toEqual({})
    await expect(set({ long: 'x'.repeat(2100) })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'preferences.push.customJson': [expect.any(String)] },
    })
  })

  test.each([
    ['preferences.group.messagesSetting', 4],
    ['preferences.group.messageEditedSetting', 3],
    ['preferences.oneOnOne.reactionsOverride', 2],
    ['preferences.call.busySetting', 0],
    ['preferences.mute.schedulePreferenceSetting.friday.to', 2400],
    ['preferences.email.intervalInSeconds', 59],
    ['preferences.sms.maxPerDay', 31],
    ['templates.usePrivacyTemplate', true],
    ['templates.textMessageTemplateDefault.body', 'x'.repeat(1001)],
  ])('%s is not %s', async (path, value) => {
    const answer = await patch(treeOf(path, value))
    expect(errorOf(answer).code).toBe('ERR_BAD_REQUEST')
    expect(Object.keys(errorOf(answer).details ?? {})).toEqual([path])
  })

  test('keep nothing that they do not know, and no choice about calls', async () => {
    const call = { initiatedOverride: true, initiatedSetting: 1, shoutedSetting: 2 }
    const { status } = await patch({ preferences: { call, fax: {} }, unheard: 'of' })
    expect(status).toBe(200)
    const { rows } = await sql<{ settings: object }>`
      select settings from notification_settings where app_id = ${app.appId}`.execute(app.db)
    expect(Object.keys(rows[0]?.settings ?? {})).toContain('preferences.call.initiatedSetting')
    expect(JSON.stringify(rows)).not.toMatch(/shouted|fax|unheard|Override/)
    expect((await settingsNow()).preferences.call).toMatchObject({
      initiatedSetting: 1,
      initiatedOverride: false,
    })
    await resetNotificationSettings()
  })

  test('are for the server of the app alone', async () => {
    await expect(app.as('auth').getNotificationSettings()).rejects.toMatchObject({
      code: 'AUTH_ERR_NO_ACCESS',
    })
  })

  test('changes of the same moment both count', async () => {
    const body = (name: 'chat' | 'call') => ({ body: { sound: { [name]: name } } })
    const alone = app.client(app.keys, 'full')
    await Promise.all([
      alone.updateNotificationSettings(body('chat')),
      alone.updateNotificationSettings(body('call')),
    ])
    expect((await settingsNow()).sound).toEqual({ chat: 'chat', call: 'call' })
  })
})

function patch(body: object) {
  return send(app.origin, {
    method: 'PATCH',
    path: '/v3/notifications/v1/settings',
    headers: {
      appId: app.appId,
      apikey: app.keys.full,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
}

function treeOf(path: string, value: unknown): object {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
}
