import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Device, startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  getNotificationPreferences,
  updateNotificationPreferences,
  deleteNotificationPreferences,
  updateNotificationSettings,
  resetNotificationSettings,
  getNotificationSettings,
} = app.as('full')

let ann: Device
beforeAll(async () => {
  await app.given.users('ann', 'bob')
  ann = await app.device('ann')
})
const of = (uid: string) => ({ query: { uid } })
const preferencesOf = async (uid: string) => (await getNotificationPreferences(of(uid))).data

describe('preferences of a user', () => {
  test('are those of the app until the user chooses', async () => {
    await app.given.users('new')
    const { data: settings } = await getNotificationSettings()
    const known = await preferencesOf('NEW')
    const { group, mute } = settings.preferences
    const { messageEditedSetting: _, messageDeletedSetting: __, ...choices } = group
    expect(known.preferences.group).toEqual(choices)
    expect(known.preferences.mute).toEqual(mute)
    expect(known.sound).toEqual(settings.sound)
    expect(Object.keys(known.preferences)).toEqual(['group', 'oneOnOne', 'mute'])
    expect(Object.keys(known.templates).filter((name) => /^(email|sms)/.test(name))).toEqual([])
    expect(known.usePrivacyTemplate).toBe(false)
    await updateNotificationSettings({
      body: { preferences: { oneOnOne: { repliesSetting: 1 } }, sound: { chat: 'ping' } },
    })
    const now = await preferencesOf('new')
    expect(now.preferences.oneOnOne.repliesSetting).toBe(1)
    expect(now.sound.chat).toBe('ping')
    await resetNotificationSettings()
  })

  test('are chosen one by one, shown in the names of the settings, forgotten in their own', async () => {
    await app.given.users('eve')
    const before = await preferencesOf('eve')
    const choose = (body: Parameters<typeof updateNotificationPreferences>[0]['body']) =>
      updateNotificationPreferences({ ...of('eve'), ...(body && { body }) })
    await choose({ groupPreferences: { groupMessages: 3, groupMemberLeft: 2 } })
    await choose({
      oneOnOnePreferences: { oneOnOneReactions: 1 },
      mutePreferences: { dnd: 2, schedule: { sunday: { dnd: true }, monday: { from: 800 } } },
    })
    const { data } = await choose({ usePrivacyTemplate: true })
    const { group, oneOnOne, mute } = before.preferences
    expect(data).toEqual({
      ...before,
      preferences: {
        group: { ...group, messagesSetting: 3, memberLeftSetting: 2 },
        oneOnOne: { ...oneOnOne, reactionsSetting: 1 },
        mute: {
          ...mute,
          dndPreferenceSetting: 2,
          schedulePreferenceSetting: {
            ...mute.schedulePreferenceSetting,
            sunday: { from: 0, to: 2359, dnd: true },
            monday: { from: 800, to: 2359, dnd: false },
          },
        },
      },
      usePrivacyTemplate: true,
    })
    expect(await preferencesOf('eve')).toEqual(data)
    expect(await preferencesOf('bob')).toEqual(before)

    expect((await deleteNotificationPreferences(of('eve'))).data).toEqual({
      groupPreferences: {
        groupMessages: 2,
        groupReplies: 2,
        groupReactions: 2,
        groupMemberLeft: 1,
        groupMemberAdded: 1,
        groupMemberJoined: 1,
        groupMemberKicked: 1,
        groupMemberBanned: 1,
        groupMemberUnbanned: 1,
        groupMemberScopeChanged: 1,
      },
      oneOnOnePreferences: { oneOnOneMessages: 2, oneOnOneReplies: 2, oneOnOneReactions: 2 },
      mutePreferences: { dnd: 1, schedule: mute.schedulePreferenceSetting },
      usePrivacyTemplate: false,
    })
    expect(await preferencesOf('eve')).toEqual(before)
  })

  test('stay those of the app where it leaves no choice, and come back when it does', async () => {
    await app.given.users('cyd')
    const before = await preferencesOf('cyd')
    await updateNotificationPreferences({
      ...of('cyd'),
      body: { groupPreferences: { groupReplies: 1 }, usePrivacyTemplate: true },
    })
    await updateNotificationSettings({
      body: {
        preferences: {
          group: { repliesOverride: false },
          oneOnOne: { messagesOverride: false },
          mute: { schedulePreferenceOverride: false },
        },
        templates: { usePrivacyTemplate: 1 },
      },
    })
    const ignored = {
      oneOnOnePreferences: { oneOnOneMessages: 1 },
      mutePreferences: { schedule: { monday: { dnd: true } } },
      usePrivacyTemplate: true,
    } as const
    const { data } = await updateNotificationPreferences({ ...of('cyd'), body: ignored })
    expect(data.preferences.group.repliesSetting).toBe(2)
    expect(data.usePrivacyTemplate).toBe(false)
    await resetNotificationSettings()
    const { preferences } = await preferencesOf('cyd')
    expect(preferences).toEqual({
      ...before.preferences,
      group: { ...before.preferences.group, repliesSetting: 1 },
    })
  })

  test('have the values of the contract', async () => {
    const body = { mutePreferences: { schedule: { monday: { to: 2400 } } } }
    await expect(updateNotificationPreferences({ ...of('bob'), body })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'mutePreferences.schedule.monday.to': [expect.any(String)] },
    })
  })

  test('are there for those who exist', async () => {
    const refusal = { code: 'ERR_UID_NOT_FOUND', status: 404 }
    await expect(getNotificationPreferences(of('nobody'))).rejects.toMatchObject(refusal)
    await expect(updateNotificationPreferences(of('nobody'))).rejects.toMatchObject(refusal)
    await expect(deleteNotificationPreferences(of('nobody'))).rejects.toMatchObject(refusal)
  })
})

describe('a device', () => {
  test('chooses for its own user, and for nobody else', async () => {
    const body = { oneOnOnePreferences: { oneOnOneMessages: 1 } } as const
    const { data } = await ann.calls.updateNotificationPreferences({ ...of('Ann'), body })
    expect(data.preferences.oneOnOne.messagesSetting).toBe(1)
    expect((await ann.calls.getNotificationPreferences(of('ann'))).data).toEqual(data)
    await ann.calls.deleteNotificationPreferences(of('ann'))
    const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }
    const { calls } = ann
    await expect(calls.getNotificationPreferences(of('bob'))).rejects.toMatchObject(denied)
    await expect(calls.updateNotificationPreferences(of('bob'))).rejects.toMatchObject(denied)
    await expect(calls.deleteNotificationPreferences(of('bob'))).rejects.toMatchObject(denied)
  })
})
