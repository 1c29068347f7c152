import { type Static, Type } from 'typebox'
import { Data, Identifier, Limited, limitQuery, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'

export const RuleId = Identifier('Unique id of a rule.')
export const Name = Type.String({ minLength: 1, maxLength: 100 })
export const Description = Type.String({ maxLength: 255 })

/** What a user or a group must be like for a rule to look at a message. */
const Filter = Type.Object({
  type: OneOf('sender', 'receiver'),
  entity: OneOf('user', 'group'),
  operand: OneOf('uid', 'guid', 'name', 'role', 'type', 'tags', 'createdAt'),
  operator: OneOf(
    'equals',
    'not equals',
    'notEquals',
    'in',
    'not in',
    'notIn',
    'startsWith',
    'endsWith',
    'lessThan',
    'greaterThan',
  ),
  value: Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'For `in` and `not in` a list, with commas between its items.',
  }),
})
export type Filter = Static<typeof Filter>

export const Action = OneOf(
  'blockMessage',
  'dropMessage',
  'flagMessage',
  'kickUser',
  'banUser',
  'blockUser',
)
export type Action = Static<typeof Action>

export const Operand = OneOf('text', 'custom', 'image', 'video', 'audio', 'file', 'link')
export type Operand = Static<typeof Operand>
/** The last two are classifiers: they are asked, so the message waits for their answer. */
export const Category = OneOf('word', 'pattern', 'customApi', 'openai')
export const Operator = OneOf('contains', 'equals')
const Flag = Type.Optional(Type.Boolean())
const Value = Type.String({ maxLength: 5000 })
const Disguises = Type.Boolean({
  description: 'Words are also found in look-alike letters, and with their letters spaced out.',
})

const GivenCondition = Type.Object({
  id: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  entity: Type.Optional(OneOf('message')),
  operand: Type.Optional(Operand),
  operator: Type.Optional(Operator),
  category: Type.Optional(Category),
  isKeywordReferencePresent: Flag,
  isKeywordsReferencePresent: Flag,
  isListReferencePresent: Flag,
  isMediaPresent: Flag,
  disguises: Type.Optional(Disguises),
  value: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      anyOf: [Value, Type.Array(Value, { maxItems: 1000 })],
      description: 'Words with commas between them, one pattern, or ids of keyword lists.',
    }),
  ),
  message: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 10 })),
})
export type GivenCondition = Static<typeof GivenCondition>

export const Condition = Type.Object({
  id: Type.Integer(),
  isKeywordsReferencePresent: Type.Boolean(),
  isListReferencePresent: Type.Optional(
    Type.Boolean({ description: 'An older name of the one above; never answered.' }),
  ),
  isMediaPresent: Type.Boolean(),
  entity: Type.String(),
  operand: Operand,
  category: Category,
  operator: Operator,
  value: Type.Array(Type.String()),
  message: Type.Optional(Type.Array(Type.String())),
  disguises: Type.Optional(Disguises),
})
export type Condition = Static<typeof Condition>

export const Rule = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean({ description: 'Whether the rule is in force.' }),
  filters: Type.Array(Filter),
  conditions: Type.Array(Condition),
  action: Type.Array(Action),
  active: Type.Boolean({ description: 'Whether this is the current revision.' }),
  default: Type.Optional(Type.Boolean()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  revisionId: Type.String({ description: '`<appId>_<ruleId>_<n>`' }),
})
export type Rule = Static<typeof Rule>

export const RuleDraft = Type.Object({
  id: Type.Optional(RuleId),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
  action: Type.Optional(Type.Array(Action, { minItems: 1, maxItems: 6 })),
  filters: Type.Optional(Type.Array(Filter, { maxItems: 10 })),
  conditions: Type.Optional(Type.Array(GivenCondition, { maxItems: 10 })),
})
export type RuleBody = Static<typeof RuleDraft>

export const RevisionId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[a-z0-9_-]+_[1-9]\\d{0,8}$',
  'x-objection': 'Use the id of a revision as the list of revisions has it',
})
export const ruleParams = Type.Object({ ruleId: RuleId })
const revisionParams = Type.Object({ ruleId: RuleId, revisionId: RevisionId })

export const rules = operations({
  createRule: {
    method: 'POST',
    path: '/moderation/rules',
    summary: 'Create a rule',
    description:
      'Creates a moderation rule: `filters` say whose messages it looks at, `conditions` what ' +
      'it looks for, `action` what happens to a message that matches. It is in force for ' +
      'messages sent from now on, unless `enabled` is false. Refused when the id is taken, when ' +
      'the app has as many rules as it may have, or when the patterns would take too long to ' +
      'check.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: RuleDraft,
    response: Data(Rule),
    errors: ['ERR_RULE_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listRules: {
    method: 'GET',
    path: '/moderation/rules',
    summary: 'List rules',
    description:
      'Lists the rules of the app in the order of their creation, those that every app has ' +
      'first.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object(limitQuery(50)),
    response: Limited(Rule),
    errors: [],
  },
  getRule: {
    method: 'GET',
    path: '/moderation/rules/:ruleId',
    summary: 'Get a rule',
    description: 'Answers the current revision of a rule.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params: ruleParams,
    response: Data(Rule),
    errors: ['ERR_RULE_NOT_FOUND'],
  },
  updateRule: {
    method: 'PUT',
    path: '/moderation/rules/:ruleId',
    summary: 'Update a rule: makes its next revision',
    description:
      'Changes a rule; fields that are not sent stay as they are. Every change makes a new ' +
      'revision, and the old ones can be restored.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: ruleParams,
    body: RuleDraft,
    response: Data(Rule),
    errors: ['ERR_RULE_NOT_FOUND', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  deleteRule: {
    method: 'DELETE',
    path: '/moderation/rules/:ruleId',
    summary: 'Delete a rule',
    description:
      'Deletes a rule. A rule that every app has cannot be deleted, only disabled. Revisions ' +
      'can still be read.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: ruleParams,
    response: Data(Outcome),
    errors: ['ERR_RULE_NOT_FOUND', 'ERR_OPERATION_FAILED'],
  },
  listRuleRevisions: {
    method: 'GET',
    path: '/moderation/rules/:ruleId/revisions',
    summary: 'List the revisions of a rule, newest first',
    description: 'Lists the revisions of a rule, newest first.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params: ruleParams,
    query: Type.Object(limitQuery(10)),
    response: Limited(Rule),
    errors: ['ERR_RULE_NOT_FOUND'],
  },
  getRuleRevision: {
    method: 'GET',
    path: '/moderation/rules/:ruleId/revisions/:revisionId',
    summary: 'Get a revision of a rule, even of one that is deleted',
    description: 'Answers one revision of a rule, even of a rule that was deleted.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params: revisionParams,
    response: Data(Rule),
    errors: ['ERR_REVISION_NOT_FOUND'],
  },
  restoreRule: {
    method: 'POST',
    path: '/moderation/rules/:ruleId/revisions/:revisionId/restore',
    summary: 'Make the next revision of a rule like an older one',
    description: 'Makes a new revision of a rule with the content of an older one.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: revisionParams,
    response: Data(Rule),
    errors: ['ERR_RULE_NOT_FOUND', 'ERR_REVISION_NOT_FOUND', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
})
