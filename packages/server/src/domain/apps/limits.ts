import { appSettingDefaults } from '@chorale/contract/apps'
import type { AppIdentity } from '../../pipeline/caller.ts'

type Limit =
  | 'authTokens.lifetimeSeconds'
  | 'groups.memberLimit'
  | 'moderation.ruleLimit'
  | 'moderation.listLimit'

/** What the settings of an app say, or the default. */
export function limitOf({ settings }: AppIdentity, name: Limit): number {
  const own = settings[name]
  return typeof own === 'number' ? own : appSettingDefaults[name]
}
