import type { GivenCondition, Rule, RuleBody, rules, rulesOfApp } from '@chorale/contract/rules'
import type { AppIdentity } from '../../pipeline/caller.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { limitOf, lockApp, nextModerationVersion } from '../apps/index.ts'
import type { Compiler } from './compiler/compiler.ts'
import type { Weighed } from './conditions.ts'
import { defaultRules } from './default-rules.ts'
import { nothing } from './engine/weight.ts'
import { checkFilters } from './filters.ts'
import { withinLimits } from './in-force.ts'
import { idFrom, pageOf } from './lists/lists.ts'
import { checkReferences } from './references.ts'
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

type Prepared = 'createRule' | 'updateRule'

export function ruleHandlers(compiler: Compiler): Handlers<typeof rules, Prepared> {
  return {
    createRule: {
      async prepare({ body }, { app }) {
        const given = await weighed(compiler, app, body)
        return (ctx) => createRule(ctx, body, given)
      },
    },

    updateRule: {
      async prepare({ params: { ruleId }, body }, { app }) {
        const given = await weighed(compiler, app, body)
        return async (ctx) => {
          await lockApp(ctx.db)
          const rule = await accessRule(ctx, ruleId)
          return saveNext(ctx, rule, contentFrom(body, given, rule))
        }
      },
    },

    ...plainHandlers,
  }
}

/** Before the transaction, in another thread. Undefined: the call gives no conditions. */
export async function weighed(
  compiler: Compiler,
  { appId, settings }: AppIdentity,
  { conditions }: RuleBody,
): Promise<Weighed | undefined> {
  if (!conditions) return undefined
  if (settings['moderation.mediaRules'] !== true) refuseMedia(conditions)
  return compiler.run(appId, 'weighConditions', conditions)
}

function refuseMedia(conditions: readonly GivenCondition[]): void {
  const place = conditions.findIndex(({ isMediaPresent }) => isMediaPresent)
  if (place < 0) return
  throw badRequest(
    `conditions.${place}.isMediaPresent`,
    'Nothing here looks into pictures and videos, so this would never match: ask a classifier. ' +
      "The app's setting moderation.mediaRules keeps such rules all the same.",
  )
}

async function createRule(ctx: WriteCtx, body: RuleBody, given: Weighed | undefined) {
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
  const content = contentFrom(body, given, { ...blank, name: id })
  const since = (await lastRevision(ctx.db, id)) + 1
  return save(ctx, { id, since, createdAt: ctx.now }, since, content)
}

const plainHandlers: Omit<Handlers<typeof rules>, Prepared> = {
  async listRules({ query }, ctx) {
    return pageOf(await findRules(ctx), query, (row) => shown(ctx, row))
  },

  async getRule({ params: { ruleId } }, ctx) {
    return { data: shown(ctx, await accessRule(ctx, ruleId)) }
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
export function ruleOfAppHandlers(
  compiler: Compiler,
): Handlers<typeof rulesOfApp, 'createRuleOfApp' | 'updateRuleOfApp'> {
  const handlers = ruleHandlers(compiler)
  return {
    createRuleOfApp: handlers.createRule,
    listRulesOfApp: handlers.listRules,
    getRuleOfApp: handlers.getRule,
    updateRuleOfApp: handlers.updateRule,
    deleteRuleOfApp: handlers.deleteRule,
    listRuleRevisionsOfApp: handlers.listRuleRevisions,
    getRuleRevisionOfApp: handlers.getRuleRevision,
    restoreRuleOfApp: handlers.restoreRule,
  }
}

export const blank: RuleContent = {
  name: '',
  description: '',
  enabled: true,
  filters: [],
  conditions: [],
  actions: ['blockMessage'],
  weight: nothing,
}

export async function findRules({ db }: ReadCtx): Promise<RuleRow[]> {
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

export async function accessRule({ db }: ReadCtx, ruleId: string): Promise<RuleRow> {
  const rule = (await findActiveRule(db, ruleId)) ?? defaultRules.get(ruleId)
  if (!rule) throw new Failure('ERR_RULE_NOT_FOUND', { ruleId })
  return rule
}

export async function accessRevision(
  { app, db }: ReadCtx,
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
export function contentFrom(
  body: RuleBody,
  given: Weighed | undefined,
  before: RuleContent,
): RuleContent {
  return {
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    enabled: body.enabled ?? before.enabled,
    filters: body.filters ?? before.filters,
    conditions: given?.conditions ?? before.conditions,
    weight: given?.weight ?? before.weight,
    actions: body.action ? [...new Set(body.action)] : before.actions,
  }
}

async function saveNext(ctx: WriteCtx, rule: RuleRow, wanted: RuleContent) {
  return withinLimits(ctx, () => replace(ctx, rule, wanted))
}

async function replace(ctx: WriteCtx, rule: RuleRow, wanted: RuleContent) {
  if (isUntouched(rule)) await insertRevision(ctx.db, { ...rule, active: false })
  const { enabled, actions } = wanted
  const content = defaultRules.has(rule.id) ? { ...rule, enabled, actions } : wanted
  await retireRule(ctx.db, rule.id)
  return insert(ctx, rule, rule.revision + 1, content)
}

type Kept = Pick<RuleRow, 'id' | 'since' | 'createdAt'>

async function save(ctx: WriteCtx, kept: Kept, revision: number, is: RuleContent) {
  return withinLimits(ctx, () => insert(ctx, kept, revision, is))
}

async function insert(
  ctx: WriteCtx,
  { id, since, createdAt }: Kept,
  revision: number,
  is: RuleContent,
) {
  checkFilters(is.filters)
  await checkReferences(ctx.db, is.conditions)
  const { name, description, enabled, filters, conditions, actions, weight } = is
  const content = { name, description, enabled, filters, conditions, actions, weight }
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

function shown(
  { app }: ReadCtx,
  { since: _, weight: __, revision, actions, ...row }: RuleRow,
): Rule {
  return {
    ...row,
    action: actions,
    ...(defaultRules.has(row.id) && { default: true }),
    revisionId: revisionIdOf(app.appId, row.id, revision),
  }
}
