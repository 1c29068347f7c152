import { expect, test } from 'vitest'
import { defaultSettings } from './default-settings.ts'
import { effectivePreferences } from './effective-preferences.ts'
import { overlaid } from './flat-tree.ts'

const groupMessages = 'preferences.group.messagesSetting'

test('a user who has chosen nothing has what the app has', () => {
  expect(effectivePreferences(defaultSettings, {})).toEqual({
    preferences: defaultSettings.preferences,
    usePrivacyTemplate: false,
  })
})

test('a choice holds where the app leaves it, and only there', () => {
  const chosen = {
    [groupMessages]: 3,
    'preferences.mute.schedulePreferenceSetting.monday.dnd': true,
    'preferences.group.messageEditedSetting': 1,
    'preferences.call.initiatedSetting': 1,
  }
  const { preferences } = effectivePreferences(defaultSettings, chosen)
  expect(preferences.group.messagesSetting).toBe(3)
  expect(preferences.mute.schedulePreferenceSetting.monday).toEqual({
    from: 0,
    to: 2359,
    dnd: true,
  })
  expect(preferences.group.messageEditedSetting).toBe(2)
  expect(preferences.call.initiatedSetting).toBe(2)
  const strict = overlaid(defaultSettings, {
    'preferences.group.messagesOverride': false,
    'preferences.mute.schedulePreferenceOverride': false,
  })
  expect(effectivePreferences(strict, chosen).preferences).toEqual(strict.preferences)
})

test.each([
  [1, true, false],
  [1, undefined, false],
  [2, false, true],
  [2, undefined, true],
  [3, true, true],
  [3, false, false],
  [3, undefined, false],
])('templates of an app that says %d and a user who says %s', (app, user, expected) => {
  const settings = overlaid(defaultSettings, { 'templates.usePrivacyTemplate': app })
  const chosen = user === undefined ? {} : { usePrivacyTemplate: user }
  expect(effectivePreferences(settings, chosen).usePrivacyTemplate).toBe(expected)
})
