import { describe, expect, test } from 'vitest'
import { decide, type NotificationFacts, type Trigger } from './decide.ts'
import { defaultSettings } from './settings/default-settings.ts'
import { overlaid } from './settings/flat-tree.ts'

const sent = { send: true }
const held = (reason: string) => ({ send: false, reason: `${reason}_PREFERENCE` })

const message: NotificationFacts = {
  trigger: 'after_message',
  receiverType: 'group',
  conversationWith: 'tea',
  isReply: false,
  mentionsRecipient: false,
  isOwnMessageReactedTo: false,
  preferences: defaultSettings.preferences,
  mutes: [],
  timezone: 'GMT',
  nowMs: Date.parse('2026-03-02T12:00Z'),
}

/** Of the default preferences, these changed. */
function withPreferences(changed: Record<string, unknown>) {
  const changes = Object.entries(changed).map(([path, value]) => [`preferences.${path}`, value])
  return overlaid(defaultSettings, Object.fromEntries(changes)).preferences
}

const decided = (changed: Record<string, unknown>, facts: Partial<NotificationFacts> = {}) =>
  decide({ ...message, preferences: withPreferences(changed), ...facts })

const places = [
  ['group', 'group'],
  ['oneOnOne', 'user'],
] as const

describe.each(places)('in %s', (place, receiverType) => {
  test('messages and replies are told, not told, or told to those they mention', () => {
    for (const [field, isReply] of [
      ['messages', false],
      ['replies', true],
    ] as const) {
      const path = `${place}.${field}Setting`
      const facts = { receiverType, isReply }
      const no = held(field.toUpperCase())
      expect(decided({ [path]: 1 }, { ...facts, mentionsRecipient: true })).toEqual(no)
      expect(decided({ [path]: 2 }, facts)).toEqual(sent)
      expect(decided({ [path]: 3 }, facts)).toEqual(no)
      expect(decided({ [path]: 3 }, { ...facts, mentionsRecipient: true })).toEqual(sent)
    }
  })

  test('edits and deletions are told to those who heard of the message', () => {
    for (const what of ['Edited', 'Deleted']) {
      const trigger = `message_${what.toLowerCase()}` as Trigger
      const facts = { trigger, receiverType }
      expect(decided({}, facts)).toEqual(sent)
      expect(decided({ [`${place}.message${what}Setting`]: 1 }, facts)).toEqual(
        held('MESSAGE_ACTIONS'),
      )
      expect(decided({ [`${place}.messagesSetting`]: 1 }, facts)).toEqual(held('MESSAGES'))
    }
  })

  test('reactions are told, not told, or told to the one who wrote', () => {
    const path = `${place}.reactionsSetting`
    const facts = { trigger: 'message_reaction_added', receiverType } as const
    const own = { ...facts, isOwnMessageReactedTo: true }
    expect(decided({ [path]: 1 }, own)).toEqual(held('REACTIONS'))
    expect(decided({ [path]: 2 }, own)).toEqual(sent)
    expect(decided({ [path]: 2 }, facts)).toEqual(held('REACTIONS'))
    expect(decided({ [path]: 3 }, facts)).toEqual(sent)
  })
})

test.each([
  ['after_group_joined', 'memberJoined'],
  ['after_group_left', 'memberLeft'],
  ['after_group_members_added', 'memberAdded'],
  ['after_group_members_kicked', 'memberKicked'],
  ['after_group_members_banned', 'memberBanned'],
  ['after_group_members_unbanned', 'memberUnbanned'],
  ['after_scope_changed', 'memberScopeChanged'],
] as const)('%s is told where %s is on', (trigger, field) => {
  expect(decided({}, { trigger })).toEqual(held('GROUP_ACTIONS'))
  expect(decided({ [`group.${field}Setting`]: 2 }, { trigger })).toEqual(sent)
})

test.each([
  'initiated',
  'ongoing',
  'cancelled',
  'rejected',
  'unanswered',
  'busy',
  'ended',
] as const)('a call that is %s is told unless the app says no', (trigger) => {
  expect(decided({}, { trigger })).toEqual(sent)
  expect(decided({ [`call.${trigger}Setting`]: 1 }, { trigger })).toEqual(held('CALL'))
})

describe('not now', () => {
  const dnd = { 'mute.dndPreferenceSetting': 2 }
  const schedule = { 'mute.schedulePreferenceSetting.monday.dnd': true }
  const tea = { id: 'tea', type: 'group' } as const

  test('is said by do-not-disturb, by a mute, by the schedule, in this order', () => {
    const mutes = [tea]
    const none = { 'group.messagesSetting': 1 }
    expect(decided({ ...none, ...dnd, ...schedule }, { mutes })).toEqual(held('MESSAGES'))
    expect(decided({ ...dnd, ...schedule }, { mutes })).toEqual(held('DND'))
    expect(decided(schedule, { mutes })).toEqual(held('MUTE'))
    expect(decided(schedule)).toEqual(held('SCHEDULE'))
    expect(decided(schedule, { timezone: 'Pacific/Kiritimati' })).toEqual(sent)
  })

  test('is said by a mute of this conversation, while it lasts, where the app allows it', () => {
    const { nowMs } = message
    const muted = (mutes: NotificationFacts['mutes'], more: Partial<NotificationFacts> = {}) =>
      decided({}, { mutes, ...more })
    expect(muted([{ ...tea, until: nowMs + 1 }])).toEqual(held('MUTE'))
    expect(muted([{ ...tea, until: nowMs }])).toEqual(sent)
    expect(muted([{ ...tea, id: 'den' }])).toEqual(sent)
    expect(muted([{ ...tea, type: 'oneOnOne' }])).toEqual(sent)
    const two = { receiverType: 'user', conversationWith: 'bob' } as const
    const bob = { id: 'bob', type: 'oneOnOne' } as const
    expect(muted([bob], two)).toEqual(held('MUTE'))
    expect(decided({ 'mute.mutedOneOnOnesOverride': false }, { ...two, mutes: [bob] })).toEqual(
      sent,
    )
    expect(decided({ 'mute.mutedGroupsOverride': false }, { mutes: [tea] })).toEqual(sent)
    expect(decided({ 'mute.mutedGroupsOverride': false }, { ...two, mutes: [bob] })).toEqual(
      held('MUTE'),
    )
  })

  test('is not said to a mention, if the app lets mentions through', () => {
    const bypass = { bypassPreferencesForMentions: true }
    const all = { mutes: [tea], mentionsRecipient: true }
    expect(decided({ ...dnd, ...schedule }, all)).toEqual(held('DND'))
    expect(decided({ ...dnd, ...schedule, ...bypass }, all)).toEqual(sent)
    expect(decided({ ...dnd, ...bypass }, { ...all, mentionsRecipient: false })).toEqual(
      held('DND'),
    )
    expect(decided({ ...bypass, 'group.messagesSetting': 1 }, all)).toEqual(held('MESSAGES'))
    const reaction = { trigger: 'message_reaction_added', isOwnMessageReactedTo: true } as const
    expect(decided({ ...dnd, ...bypass }, { ...all, ...reaction })).toEqual(held('DND'))
  })
})
