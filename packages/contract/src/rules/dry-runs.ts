import { type Static, Type } from 'typebox'
import { Data, limitQuery, OneOf, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Action, Operand, RevisionId, RuleDraft, ruleParams } from './rules.ts'

const Days = withDefault(
  Type.Integer({ minimum: 1, maximum: 90, description: 'How far back it looks.' }),
  7,
)

const CaughtBy = OneOf('a', 'b', 'both')
export type CaughtBy = Static<typeof CaughtBy>

const Span = Type.Object({
  operand: Operand,
  start: Type.Integer({ description: 'In UTF-16 code units, as strings of JavaScript count.' }),
  end: Type.Integer(),
})

const Finding = Type.Object({
  rule: OneOf('a', 'b'),
  conditions: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Of the condition.' }),
      spans: Type.Array(Span),
    }),
  ),
})
export type DryRunFinding = Static<typeof Finding>

const Match = Type.Object({
  messageId: Type.String(),
  conversationId: Type.String(),
  sender: Type.String(),
  sentAt: Timestamp,
  caughtBy: CaughtBy,
  findings: Type.Array(Finding),
})
export type DryRunMatch = Static<typeof Match>

const TriedRule = Type.Object({
  id: Type.Optional(Type.String()),
  revisionId: Type.Optional(Type.String({ description: 'Absent: a draft.' })),
  name: Type.String(),
  action: Type.Array(Action),
})

const DryRun = Type.Object({
  id: Type.String(),
  status: OneOf('waiting', 'running', 'done', 'cancelled', 'failed'),
  since: Timestamp,
  createdAt: Timestamp,
  endedAt: Type.Optional(Timestamp),
  rules: Type.Object({
    a: TriedRule,
    b: Type.Optional(
      Type.Object(TriedRule.properties, { description: 'What it is compared with.' }),
    ),
  }),
  progress: Type.Object({
    scanned: Type.Integer({ description: 'Messages that were looked at.' }),
    total: Type.Integer({ description: 'An estimate until the run is done; 0: not known yet.' }),
  }),
  counts: Type.Object({
    caught: Type.Integer({ description: 'Messages that any of the rules would have caught.' }),
    onlyA: Type.Integer(),
    onlyB: Type.Integer(),
    both: Type.Integer(),
  }),
})
export type DryRun = Static<typeof DryRun>

const WholeDryRun = Type.Object({
  ...DryRun.properties,
  matches: Type.Array(Match, {
    description: 'A page of the newest 500 that only a, only b and both have caught, newest first.',
  }),
})

const params = Type.Object({
  dryRunId: Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    'x-objection': 'Use the id that the start of the dry run answered',
  }),
})

export const dryRuns = operations({
  dryRunRule: {
    method: 'POST',
    path: '/moderation/rules/:ruleId/dry-run',
    summary: 'Try out a rule on what was said lately, changing nothing',
    description:
      'Tries a rule on the messages of the last `days`, and changes nothing. It can try an ' +
      'older revision or a draft instead of the current one, and compare it with another ' +
      'revision. The run goes on in the background: ask `getDryRun` for its results. An app may ' +
      'have three runs at a time.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: ruleParams,
    body: Type.Object({
      days: Days,
      revisionId: Type.Optional({ ...RevisionId, description: 'Instead of the current revision.' }),
      draft: Type.Optional(
        Type.Object(RuleDraft.properties, { description: 'What a next revision would change.' }),
      ),
      compareWith: Type.Optional({ ...RevisionId, description: 'A second revision, rule b.' }),
    }),
    response: Data(DryRun),
    errors: ['ERR_RULE_NOT_FOUND', 'ERR_REVISION_NOT_FOUND', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  dryRunDraft: {
    method: 'POST',
    path: '/moderation/dry-run',
    summary: 'Try out a rule that is not saved yet',
    description:
      'Tries a rule that is not saved on the messages of the last `days`, and changes nothing. ' +
      'The run goes on in the background: ask `getDryRun` for its results. An app may have ' +
      'three runs at a time.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({ days: Days, draft: RuleDraft }),
    response: Data(DryRun),
    errors: ['ERR_PLAN_QUOTA_RESTRICTION'],
  },
  getDryRun: {
    method: 'GET',
    path: '/moderation/dry-runs/:dryRunId',
    summary: 'Get how far a dry run is, and what it has found',
    description:
      'Answers how far a dry run is, how many messages it would have caught, and a page of ' +
      'them. Results are kept for two weeks.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params,
    query: Type.Object({ ...limitQuery(100), caughtBy: Type.Optional(CaughtBy) }),
    response: Data(WholeDryRun),
    errors: ['ERR_DRY_RUN_NOT_FOUND'],
  },
  cancelDryRun: {
    method: 'DELETE',
    path: '/moderation/dry-runs/:dryRunId',
    summary: 'Cancel a dry run; what it has found so far stays',
    description:
      'Stops a dry run. What it has found so far can still be read; a run that has ended stays ' +
      'as it is.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(DryRun),
    errors: ['ERR_DRY_RUN_NOT_FOUND'],
  },
})
