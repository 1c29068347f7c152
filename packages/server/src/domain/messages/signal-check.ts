import type { Db } from '../../database/db.ts'
import type { Actor, AppIdentity } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Receiver } from '../../realtime/ports.ts'
import type { RuleCheck } from '../rules/index.ts'
import type { ProfileLoader } from '../views/index.ts'
import type { To } from './send/content.ts'
import { requireMayReachGroup, requireMayReachUser, requireMaySay } from './send/delivery.ts'
import { openTargets } from './send/targets.sql.ts'

interface SignalCheckParts {
  readonly db: Db
  readonly people: (appId: string) => ProfileLoader
  readonly checkRules: RuleCheck
}

/** Words that are passed on to who is there, and kept nowhere. */
interface Signal {
  readonly app: AppIdentity
  readonly actor: Actor
  readonly to: To
  readonly data: Readonly<Record<string, unknown>>
}

/** Whether they may be passed on, by the rules of a send; or the failure. */
export function openSignalCheck({
  db,
  people,
  checkRules,
}: SignalCheckParts): (signal: Signal) => Promise<void> {
  const targets = openTargets(db)
  return async ({ app, actor, to, data }) => {
    const { appId } = app
    const { uid } = actor
    const put = { act: 'signal', actor, to } as const
    requireMaySay(put)
    if (to.type === 'group') {
      const target = await targets.group({ appId, sender: uid, guid: to.id })
      if (target) requireMayReachGroup(put, target)
    } else {
      const found = await targets.user({ appId, sender: uid, receiver: to.id })
      if (found) requireMayReachUser(put, found.target)
    }
    if (app.moderationVersion === 0) return
    const receiver: Receiver =
      to.type === 'group' ? { kind: 'group', guid: to.id } : { kind: 'user', uids: [uid, to.id] }
    const said = { category: 'custom', type: 'signal', data: { ...data, customData: data } }
    const result = await checkRules(
      { app, db: { appId, db }, actor },
      { ...said, sender: uid, receiver, from: people(appId) },
    )
    if (result?.moderation.status === 'disapproved') throw new Failure('ERR_BLOCKED_BY_RULE')
  }
}
