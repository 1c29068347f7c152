import { LRUCache } from 'lru-cache'
import type { AppDb } from '../../../database/app-db.ts'
import type { AppIdentity } from '../../../pipeline/caller.ts'
import type { RuleSet } from '../engine/rule-set.ts'
import { revisionIdOf, withDefaults } from '../rules.ts'
import type { Compiler } from './compiler.ts'
import { findInForce, type InForce } from './rule-sets.sql.ts'

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

/** Whoever is not among these is compiled again. */
const maxApps = 500
const maxBytes = 256 * 2 ** 20

export function openRuleSets(compiler: Compiler): RuleSets {
  const sets = new LRUCache<string, Compiled>({ max: maxApps, maxSize: maxBytes })
  return {
    async of({ appId, moderationVersion }, db) {
      if (moderationVersion === 0) return undefined
      const known = sets.get(appId)
      if (known && known.version >= moderationVersion) return known.set
      const set = findInForce(db).then((found) => found && compile(appId, found, compiler))
      const entry = { version: moderationVersion, set }
      sets.set(appId, entry, { size: 1 })
      const isCurrent = () => sets.peek(appId) === entry
      set.then(
        (done) => isCurrent() && sets.set(appId, entry, { size: done?.bytes ?? 1 }),
        // Whoever comes next tries again.
        () => isCurrent() && sets.delete(appId),
      )
      return set
    },
  }
}

async function compile(
  appId: string,
  { rules, lists, classifiers }: InForce,
  compiler: Compiler,
): Promise<RuleSet | undefined> {
  const enabled = withDefaults(rules).filter((rule) => rule.enabled)
  if (enabled.length === 0) return undefined
  const inForce = enabled.map((rule) => ({
    ...rule,
    revisionId: revisionIdOf(appId, rule.id, rule.revision),
  }))
  return compiler.compile(appId, inForce, {
    lists,
    classifiers: new Map(Object.entries(classifiers)),
  })
}
