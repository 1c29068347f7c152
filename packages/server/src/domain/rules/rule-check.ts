import type { Action } from '@chorale/contract/rules'
import type { ReadCtx } from '../../pipeline/handler.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { resumeTurn } from '../../watchdog/turns.ts'
import type { Question, Verdict } from '../log/entries/index.ts'
import { otherThan } from '../log/entries/index.ts'
import { loadCounterparts, type ProfileLoader } from '../views/index.ts'
import type { ModeratedApp, RuleSets } from './compiler/rule-sets.ts'
import type { Asked, Finding, RuleSet } from './engine/rule-set.ts'
import { type Parties, type Party, passes } from './filters.ts'
import { type Spoken, subjectsOf } from './subjects.ts'

/** A message before it is stored, and between whom it is. */
interface Utterance extends Spoken {
  readonly sender: string
  readonly receiver: Receiver
  readonly from: ProfileLoader
}

export interface Decided {
  /** What the message says of it, under `data.moderation`. */
  readonly moderation: {
    readonly status: 'approved' | 'disapproved'
    readonly rule?: { readonly id: string; readonly name: string }
  }
  /** Where a rule has caught it. */
  readonly verdict?: Verdict
}

/** For classifiers to decide, whom the verdict names. */
export interface Pending {
  readonly moderation: { readonly status: 'pending'; readonly rule?: undefined }
  readonly verdict: Verdict
}

export type ModerationResult = Decided | Pending

export function isPending(result: ModerationResult): result is Pending {
  return result.moderation.status === 'pending'
}

/** In whose app, and before whose eyes. */
interface RuleCheckCtx extends Pick<ReadCtx, 'db' | 'actor'> {
  readonly app: ModeratedApp
}

/** Undefined: no rule is in force, or none looks at such a thing. */
export type RuleCheck = (
  ctx: RuleCheckCtx,
  utterance: Utterance,
) => Promise<ModerationResult | undefined>

interface Examined {
  readonly by: RuleSet
  readonly findings: readonly Finding[]
  readonly asked: readonly Asked[]
}

const blocking: readonly Action[] = ['blockMessage', 'dropMessage']

export function openRuleCheck(sets: RuleSets): RuleCheck {
  // By the data: a message to many receivers is examined once.
  const known = new WeakMap<Spoken['data'], Examined>()

  function examined(set: RuleSet, utterance: Utterance): Examined | undefined {
    const before = known.get(utterance.data)
    if (before?.by === set) return before
    const subjects = subjectsOf(utterance)
    if (!subjects) return undefined
    const found = { by: set, findings: set.examine(subjects), asked: set.askedOf(subjects) }
    known.set(utterance.data, found)
    return found
  }

  return async (ctx, utterance) => {
    const set = await sets.of(ctx.app, ctx.db)
    resumeTurn()
    const found = set && examined(set, utterance)
    if (!found) return undefined
    const meant = await meantFor(ctx, utterance, found.findings, found.asked)
    const finding = meant.findings.find(({ rule }) => blocks(rule)) ?? meant.findings[0]
    const verdict = finding && verdictOf(finding)
    if (verdict && blocks(verdict)) return moderationResultOf(verdict)
    // Whatever a classifier says, this rule has caught it already.
    const asked = meant.asked.filter(({ rule }) => rule.id !== finding?.rule.id)
    if (asked.length > 0) {
      const pending = asked.map(questionOf)
      return { moderation: { status: 'pending' }, verdict: { actions: [], ...verdict, pending } }
    }
    return moderationResultOf(verdict)
  }
}

/** What a verdict means, once nothing is pending. Undefined: nothing was found. */
export function moderationResultOf(verdict: Verdict | undefined): Decided {
  if (verdict && blocks(verdict)) return { moderation: disapproved(verdict), verdict }
  return { moderation: { status: 'approved' }, ...(verdict && { verdict }) }
}

export function blocks({ actions }: { readonly actions: readonly Action[] }): boolean {
  return actions.some((action) => blocking.includes(action))
}

/** What a message that this verdict withholds says of it. */
export function disapproved({ rule }: Verdict): Decided['moderation'] {
  return { status: 'disapproved', ...(rule && { rule: { id: rule.id, name: rule.name } }) }
}

function verdictOf({ rule, conditions }: Finding): Verdict {
  const { id, name, revisionId, actions } = rule
  const condition = conditions[0]?.condition
  return { rule: { id, name, revisionId }, ...(condition && { condition }), actions }
}

function questionOf({ rule, condition, list }: Asked): Question {
  const { id, name, revisionId, actions } = rule
  return { rule: { id, name, revisionId }, condition, actions, list }
}

/** Of the rules that look at what passes between these two. */
async function meantFor(
  ctx: RuleCheckCtx,
  utterance: Utterance,
  findings: readonly Finding[],
  asked: readonly Asked[],
): Promise<{ findings: readonly Finding[]; asked: readonly Asked[] }> {
  const isFiltered = [...findings, ...asked].some(({ rule }) => rule.filters.length > 0)
  if (!isFiltered) return { findings, asked }
  const parties = await partiesOf(ctx, utterance)
  const isMeant = ({ rule }: Pick<Finding, 'rule'>) => passes(rule.filters, parties)
  return { findings: findings.filter(isMeant), asked: asked.filter(isMeant) }
}

async function partiesOf(
  { actor }: RuleCheckCtx,
  { sender, receiver, from }: Utterance,
): Promise<Parties> {
  const guids = receiver.kind === 'group' ? [receiver.guid] : []
  const other = receiver.kind === 'user' ? [otherThan(sender, receiver.uids)] : []
  const wanted = { uids: [sender, ...other], guids, blocks: false }
  const seen = (await loadCounterparts(from, wanted, actor?.uid))({ withTags: true })
  const user = (uid: string): Party => {
    const { name, role, tags = [], createdAt } = seen.user(uid)
    return { entity: 'user', id: uid, name, kind: role, tags, createdAt }
  }
  const group = (guid: string): Party => {
    const { name = '', type = '', tags = [], createdAt = 0 } = seen.group(guid) ?? {}
    return { entity: 'group', id: guid, name, kind: type, tags, createdAt }
  }
  return {
    sender: user(sender),
    receiver: receiver.kind === 'group' ? group(receiver.guid) : user(other[0] ?? ''),
  }
}
