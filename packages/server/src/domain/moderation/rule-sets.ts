import { LRUCache } from 'lru-cache'
import type { AppDb } from '../../database/app-db.ts'
import type { AppIdentity } from '../../pipeline/caller.ts'
import { defaultLists } from './default-rules.ts'
import type { PatternEngine } from './engine/patterns.ts'
import { RuleSet } from './engine/rule-set.ts'
import { findInForce, type InForce } from './rule-sets.sql.ts'
import { revisionIdOf, withDefaults } from './rules.ts'

/** As far as it matters which rules are in force. */
export type ModeratedApp = Pick<AppIdentity, 'appId' | 'moderationVersion'>

/** The compiled rules of every app that this process serves. */
export interface RuleSets {
  /**
   * What is in force for a call of this app. The call has read the version with its app, so a rule
   * that was saved before it came holds for it, whichever process saved the rule. Undefined: nothing is.
   */
  of(app: ModeratedApp, db: AppDb): Promise<RuleSet | undefined>
}

interface Compiled {
  readonly version: number
  readonly set: Promise<RuleSet | undefined>
}

/** Of as many apps; whoever is not among them is compiled again. */
const mostApps = 500

export function openRuleSets(engine: PatternEngine): RuleSets {
  const sets = new LRUCache<string, Compiled>({ max: mostApps })
  return {
    async of({ appId, moderationVersion }, db) {
      if (moderationVersion === 0) return undefined
      const known = sets.get(appId)
      if (known && known.version >= moderationVersion) return known.set
      const set = findInForce(db).then((found) => found && compile(appId, found, engine))
      const entry = { version: moderationVersion, set }
      sets.set(appId, entry)
      // Whoever comes next tries again.
      set.catch(() => sets.peek(appId) === entry && sets.delete(appId))
      return set
    },
  }
}

function compile(
  appId: string,
  { rules, lists, judges }: InForce,
  engine: PatternEngine,
): RuleSet | undefined {
  const enabled = withDefaults(rules).filter((rule) => rule.enabled)
  if (enabled.length === 0) return undefined
  const terms = new Map<string, readonly string[]>(Object.entries(lists))
  for (const [id, { searchTerms }] of defaultLists) terms.set(id, searchTerms)
  const inForce = enabled.map((rule) => ({
    ...rule,
    revisionId: revisionIdOf(appId, rule.id, rule.revision),
  }))
  return new RuleSet(inForce, terms, engine, new Map(Object.entries(judges)))
}
