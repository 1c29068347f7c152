import type { Rule, RuleBody, rules, rulesOfApp } from '@chorale/contract/moderation'
import { Failure } from '../../pipeline/failure.ts'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { limitOf, lockApp, nextModerationVersion } from '../apps/index.ts'
import { checkReferences, conditionsOf } from './conditions.ts'
import { defaultRules } from './default-rules.ts'
import { checkFilters } from './filters.ts'
import { idFrom, pageOf } from './lists.ts'
import {
  findActiveRule,
  findActiveRules,
  findRevision,
  insertRevision,
  lastRevision,
  listRevisions,
  type RuleContent,
  type RuleRow,
  retireRule,
} from './rules.sql.ts'

export const ruleHandlers: Handlers<typeof rules> = {
  async createRule({ body }, ctx) {
    const id = body.id ?? idFrom(body.name)
    await lockApp(ctx.db)
    const existing = await findRules(ctx)
    if (existing.some((rule) => rule.id === id)) {
      throw new Failure('ERR_RULE_ALREADY_EXISTS', { ruleId: id })
    }
    const limit = limitOf(ctx.app, 'moderation.ruleLimit')
    if (existing.filter((rule) => !defaultRules.has(rule.id)).length >= limit) {
      throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit, what: 'rules' })
    }
    const content = contentFrom(body, { ...blank, name: id })
    const since = (await lastRevision(ctx.db, id)) + 1
    return save(ctx, { id, since, createdAt: ctx.now }, since, content)
  },

  async listRules({ query }, ctx) {
    return pageOf(await findRules(ctx), query, (row) => shown(ctx, row))
  },

  async getRule({ params: { ruleId } }, ctx) {
    return { data: shown(ctx, await accessRule(ctx, ruleId)) }
  },

  async updateRule({ params: { ruleId }, body }, ctx) {
    await lockApp(ctx.db)
    const rule = await accessRule(ctx, ruleId)
    return saveNext(ctx, rule, contentFrom(body, rule))
  },

  async deleteRule({ params: { ruleId } }, ctx) {
    await lockApp(ctx.db)
    await accessRule(ctx, ruleId)
    if (defaultRules.has(ruleId)) {
      throw new Failure('ERR_OPERATION_FAILED', { what: 'Disable this rule instead.' })
    }
    await retireRule(ctx.db, ruleId)
    await nextModerationVersion(ctx.db)
    await ctx.outbox.append('rule.deleted', { ruleId })
    return { data: { success: true, message: `The rule ${ruleId} is deleted.` } }
  },

  async listRuleRevisions({ params: { ruleId }, query }, ctx) {
    const rule = await accessRule(ctx, ruleId)
    const rows = isUntouched(rule) ? [rule] : await listRevisions(ctx.db, rule, query)
    const data = rows.map((row) => shown(ctx, row))
    return { data, meta: { current: { limit: query.limit, count: data.length } } }
  },

  async getRuleRevision({ params }, ctx) {
    return { data: shown(ctx, await accessRevision(ctx, params)) }
  },

  async restoreRule({ params }, ctx) {
    await lockApp(ctx.db)
    const rule = await accessRule(ctx, params.ruleId)
    return saveNext(ctx, rule, await accessRevision(ctx, params))
  },
}

/** One handler, two addresses. */
export const ruleOfAppHandlers: Handlers<typeof rulesOfApp> = {
  createRuleOfApp: ruleHandlers.createRule,
  listRulesOfApp: ruleHandlers.listRules,
  getRuleOfApp: ruleHandlers.getRule,
  updateRuleOfApp: ruleHandlers.updateRule,
  deleteRuleOfApp: ruleHandlers.deleteRule,
  listRuleRevisionsOfApp: ruleHandlers.listRuleRevisions,
  getRuleRevisionOfApp: ruleHandlers.getRuleRevision,
  restoreRuleOfApp: ruleHandlers.restoreRule,
}

export const blank: RuleContent = {
  name: '',
  description: '',
  enabled: true,
  filters: [],
  conditions: [],
  actions: ['blockMessage'],
}

export async function findRules({ db }: Ctx): Promise<RuleRow[]> {
  return withDefaults(await findActiveRules(db))
}

/** In the order in which they were created, those that every app has first. */
export function withDefaults(own: readonly RuleRow[]): RuleRow[] {
  const changed = new Set(own.map(({ id }) => id))
  const untouched = [...defaultRules.values()].filter(({ id }) => !changed.has(id))
  return [...untouched, ...own].sort(
    (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
  )
}

export async function accessRule({ db }: Ctx, ruleId: string): Promise<RuleRow> {
  const rule = (await findActiveRule(db, ruleId)) ?? defaultRules.get(ruleId)
  if (!rule) throw new Failure('ERR_RULE_NOT_FOUND', { ruleId })
  return rule
}

export async function accessRevision(
  { app, db }: Ctx,
  { ruleId, revisionId }: { ruleId: string; revisionId: string },
): Promise<RuleRow> {
  const n = Number(revisionId.slice(revisionId.lastIndexOf('_') + 1))
  const row =
    revisionId === revisionIdOf(app.appId, ruleId, n)
      ? ((await findRevision(db, ruleId, n)) ?? builtIn(ruleId, n))
      : undefined
  if (!row) throw new Failure('ERR_REVISION_NOT_FOUND', { revisionId })
  return row
}

function builtIn(ruleId: string, revision: number): RuleRow | undefined {
  const rule = defaultRules.get(ruleId)
  return rule?.revision === revision ? rule : undefined
}

/** As every app has it: no row of this app says otherwise. */
function isUntouched(rule: RuleRow): boolean {
  return rule === defaultRules.get(rule.id)
}

/** What is not given stays as it was. */
export function contentFrom(body: RuleBody, before: RuleContent): RuleContent {
  return {
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    enabled: body.enabled ?? before.enabled,
    filters: body.filters ?? before.filters,
    conditions: body.conditions ? conditionsOf(body.conditions) : before.conditions,
    actions: body.action ? [...new Set(body.action)] : before.actions,
  }
}

async function saveNext(ctx: Ctx, rule: RuleRow, wanted: RuleContent) {
  if (isUntouched(rule)) await insertRevision(ctx.db, { ...rule, active: false })
  const { enabled, actions } = wanted
  const content = defaultRules.has(rule.id) ? { ...rule, enabled, actions } : wanted
  await retireRule(ctx.db, rule.id)
  return save(ctx, rule, rule.revision + 1, content)
}

type Kept = Pick<RuleRow, 'id' | 'since' | 'createdAt'>

async function save(ctx: Ctx, { id, since, createdAt }: Kept, revision: number, is: RuleContent) {
  checkFilters(is.filters)
  await checkReferences(ctx.db, is.conditions)
  const { name, description, enabled, filters, conditions, actions } = is
  const content = { name, description, enabled, filters, conditions, actions }
  const row = { id, since, createdAt, revision, ...content, active: true, updatedAt: ctx.now }
  await insertRevision(ctx.db, row)
  await nextModerationVersion(ctx.db)
  const data = shown(ctx, row)
  await ctx.outbox.append('rule.saved', { ruleId: id, revisionId: data.revisionId })
  return { data }
}

export function revisionIdOf(appId: string, id: string, revision: number): string {
  return `${appId}_${id}_${revision}`
}

function shown({ app }: Ctx, { since: _, revision, actions, ...row }: RuleRow): Rule {
  return {
    ...row,
    action: actions,
    ...(defaultRules.has(row.id) && { default: true }),
    revisionId: revisionIdOf(app.appId, row.id, revision),
  }
}
