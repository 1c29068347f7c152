import type { NotificationSettings, PreferenceChoices } from '@chorale/contract/notifications'
import { type FlatTree, flattened, overlaid } from './flat-tree.ts'

/** What a user has chosen: paths of the app's settings with values of their own. */
export type UserPreferences = FlatTree

/** What holds for one user. */
export interface EffectivePreferences {
  readonly preferences: NotificationSettings['preferences']
  readonly usePrivacyTemplate: boolean
}

/**
 * Where each choice of a user stands among the settings of the app: its value under the name with
 * `Setting`, and whether it is theirs to choose under the name with `Override`.
 */
const places = [
  ['groupPreferences.groupMessages', 'preferences.group.messages'],
  ['groupPreferences.groupReplies', 'preferences.group.replies'],
  ['groupPreferences.groupReactions', 'preferences.group.reactions'],
  ['groupPreferences.groupMemberLeft', 'preferences.group.memberLeft'],
  ['groupPreferences.groupMemberAdded', 'preferences.group.memberAdded'],
  ['groupPreferences.groupMemberJoined', 'preferences.group.memberJoined'],
  ['groupPreferences.groupMemberKicked', 'preferences.group.memberKicked'],
  ['groupPreferences.groupMemberBanned', 'preferences.group.memberBanned'],
  ['groupPreferences.groupMemberUnbanned', 'preferences.group.memberUnbanned'],
  ['groupPreferences.groupMemberScopeChanged', 'preferences.group.memberScopeChanged'],
  ['oneOnOnePreferences.oneOnOneMessages', 'preferences.oneOnOne.messages'],
  ['oneOnOnePreferences.oneOnOneReplies', 'preferences.oneOnOne.replies'],
  ['oneOnOnePreferences.oneOnOneReactions', 'preferences.oneOnOne.reactions'],
  ['mutePreferences.dnd', 'preferences.mute.dndPreference'],
  ['mutePreferences.schedule', 'preferences.mute.schedulePreference'],
] as const

const placeOfChoice: ReadonlyMap<string, string> = new Map(places)
const privacy = 'usePrivacyTemplate'

/** The settings of the app, with what the user has chosen where the app leaves the choice. */
export function effectivePreferences(
  app: NotificationSettings,
  user: UserPreferences,
): EffectivePreferences {
  const chosen = permitted(app, user)
  const wantsPrivacy = app.templates.usePrivacyTemplate === 2
  return {
    preferences: overlaid(app.preferences, chosen, 'preferences.'),
    usePrivacyTemplate: Object.hasOwn(chosen, privacy) ? chosen[privacy] === true : wantsPrivacy,
  }
}

/** In the names in which a user chooses. */
export function asChoices({ preferences, usePrivacyTemplate }: EffectivePreferences) {
  const choices: Record<string, Record<string, unknown>> = {}
  for (const [choice, place] of places) {
    const [section = '', name = ''] = choice.split('.')
    choices[section] = {
      ...choices[section],
      [name]: valueAt({ preferences }, `${place}Setting`),
    }
  }
  // Every field of the contract has its line in `places`; a test holds the answer against it.
  return { ...choices, usePrivacyTemplate } as PreferenceChoices
}

/** What of a change is the user's to choose. */
export function chosenBy(app: NotificationSettings, change: object): UserPreferences {
  const known = asChoices(effectivePreferences(app, {}))
  const moved = Object.entries(flattened(known, change)).map(([path, value]) => {
    const [section, name, ...inside] = path.split('.')
    const place = placeOfChoice.get(`${section}.${name}`)
    return [place ? [`${place}Setting`, ...inside].join('.') : path, value]
  })
  return permitted(app, Object.fromEntries(moved))
}

function permitted(app: NotificationSettings, user: UserPreferences): UserPreferences {
  const allows = (path: string) =>
    path === privacy
      ? app.templates.usePrivacyTemplate === 3
      : valueAt(app, path.replace(/Setting(?:\..*)?$/, 'Override')) === true
  return Object.fromEntries(Object.entries(user).filter(([path]) => allows(path)))
}

function valueAt(tree: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
      tree,
    )
}
