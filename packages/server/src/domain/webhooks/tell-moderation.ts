import type { AppDb } from '../../database/app-db.ts'
import type { HeardEvent } from '../../outbox/listener.ts'
import {
  findEntry,
  findReceiver,
  opened,
  peopleIn,
  printEntries,
  type Receiver,
  type Verdict,
} from '../conversations/index.ts'
import { findCaught } from './scenes.sql.ts'
import { lineOf, type Telling, type Wanted } from './tellings.ts'

/** A rule has blocked a message. What moderators withhold themselves, nobody is told of. */
export async function tellBlocked(
  { payload, at }: HeardEvent<'message.blocked'>,
  db: AppDb,
  wanted: Wanted,
): Promise<Telling[]> {
  const trigger = 'moderation_engine_blocked'
  if (payload.by !== 'rule' || !wanted(2, trigger)) return []
  const seen = await messageAt(db, payload)
  const { verdict } = seen ?? {}
  if (!seen || !verdict) return []
  const moderation = [{ condition: conditionOf(verdict), rule: ruleOf(verdict, at) }]
  const data = `{"message":${seen.message},"moderation":${JSON.stringify(moderation)}}`
  return [{ version: 2, trigger, data, line: lineOf(seen.receiver) }]
}

/** A moderator has approved what a rule had blocked: it was delivered, and is told of as sent, too. */
export async function tellApproved(
  { payload }: HeardEvent<'message.approved'>,
  db: AppDb,
  wanted: Wanted,
): Promise<Telling[]> {
  const trigger = 'moderation_manual_approved'
  if (payload.blockedId === undefined || !wanted(2, trigger)) return []
  const seen = await messageAt(db, payload)
  const caught = await findCaught(db, payload.blockedId)
  if (!seen || !caught) return []
  const { verdict, openedAt } = caught
  const moderation = verdict
    ? [{ rule: { ...ruleOf(verdict, openedAt), condition: conditionOf(verdict) } }]
    : []
  const data = `{"message":${seen.message},"moderation":${JSON.stringify(moderation)}}`
  return [{ version: 2, trigger, data, line: lineOf(seen.receiver) }]
}

interface SeenMessage {
  readonly message: string
  readonly receiver: Receiver
  readonly verdict: Verdict | null
}

/** As its sender sees it. */
async function messageAt(
  db: AppDb,
  { bucket, key, seq }: { readonly bucket: number; readonly key: number; readonly seq: number },
): Promise<SeenMessage | undefined> {
  const receiver = await findReceiver(db, { bucket, key })
  const row = receiver && (await findEntry(db, { bucket, key }, seq))
  if (!row) return undefined
  const verdict = row.verdict ?? null
  const shown = verdict?.sealed ? opened(row, verdict.sealed) : row
  const entries = [{ row: shown, receiver }]
  const [message = '{}'] = await printEntries(db, peopleIn(db), entries, { viewer: undefined })
  return { message, receiver, verdict }
}

function conditionOf({ condition }: Verdict) {
  return condition && { ...condition, weight: 1 }
}

function ruleOf({ rule, actions }: Verdict, blockedAt: number) {
  return { id: rule?.id, revisionId: rule?.revisionId, action: actions, blockedAt }
}
