import type { Action } from '@chorale/contract/moderation'
import type { Ctx } from '../../pipeline/handler.ts'
import type { Verdict } from '../conversations/index.ts'
import { loadCounterparts, otherThan, type People, type Receiver } from '../conversations/index.ts'
import type { Finding } from './engine/rule-set.ts'
import { type Parties, type Party, passes } from './filters.ts'
import type { ModeratedApp, RuleSets } from './rule-sets.ts'
import { type Spoken, subjectsOf } from './subjects.ts'

/** A message before it is stored, and between whom it is. */
interface Utterance extends Spoken {
  readonly sender: string
  readonly receiver: Receiver
  readonly from: People
}

export interface Judgement {
  /** What the message says of it, under `data.moderation`. */
  readonly moderation: {
    readonly status: 'approved' | 'disapproved'
    readonly rule?: { readonly id: string; readonly name: string }
  }
  /** Where a rule has caught it. */
  readonly verdict?: Verdict
}

/** In whose app, and before whose eyes. */
interface Judging extends Pick<Ctx, 'db' | 'actor'> {
  readonly app: ModeratedApp
}

/** Undefined: no rule is in force, or none looks at such a thing. */
export type Judge = (ctx: Judging, utterance: Utterance) => Promise<Judgement | undefined>

const blocking: readonly Action[] = ['blockMessage', 'dropMessage']

export function openJudge(sets: RuleSets): Judge {
  return async (ctx, utterance) => {
    const set = await sets.of(ctx.app, ctx.db)
    const subjects = set && subjectsOf(utterance)
    if (!set || !subjects) return undefined
    const finding = await gravestOf(set.examine(subjects), ctx, utterance)
    if (!finding) return { moderation: { status: 'approved' } }
    const { id, name, revisionId, actions } = finding.rule
    const condition = finding.conditions[0]?.condition
    const verdict = { rule: { id, name, revisionId }, ...(condition && { condition }), actions }
    return blocks(finding)
      ? { moderation: { status: 'disapproved', rule: { id, name } }, verdict }
      : { moderation: { status: 'approved' }, verdict }
  }
}

/** Of the rules that look at what passes between these two: one that blocks, or else the first. */
async function gravestOf(
  findings: readonly Finding[],
  ctx: Judging,
  utterance: Utterance,
): Promise<Finding | undefined> {
  const isFiltered = findings.some(({ rule }) => rule.filters.length > 0)
  const parties = isFiltered ? await partiesOf(ctx, utterance) : undefined
  const meant = parties ? findings.filter(({ rule }) => passes(rule.filters, parties)) : findings
  return meant.find(blocks) ?? meant[0]
}

function blocks({ rule }: Finding): boolean {
  return rule.actions.some((action) => blocking.includes(action))
}

async function partiesOf(
  { actor }: Judging,
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
