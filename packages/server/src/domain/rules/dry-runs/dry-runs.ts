import type { DryRun, dryRuns } from '@chorale/contract/rules'
import { v7 as uuidv7 } from 'uuid'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { lockApp } from '../../apps/index.ts'
import type { Compiler } from '../compiler/compiler.ts'
import { checkFilters } from '../filters.ts'
import { refuseTooHeavy } from '../in-force.ts'
import { checkReferences } from '../references.ts'
import type { RuleContent, RuleRow } from '../rules.sql.ts'
import { accessRevision, accessRule, blank, contentFrom, revisionIdOf, weighed } from '../rules.ts'
import { dryRunQueue } from './dry-run-jobs.sql.ts'
import {
  cancelDryRun,
  countOpenDryRuns,
  currentRevisions,
  type DryRunRow,
  findDryRun,
  insertDryRun,
  listMatches,
  type TriedRule,
} from './dry-runs.sql.ts'

const daySeconds = 86_400
/** Of an app, that wait or run. */
const maxOpen = 3

type Prepared = 'dryRunRule' | 'dryRunDraft'

export function dryRunHandlers(compiler: Compiler): Handlers<typeof dryRuns, Prepared> {
  return {
    dryRunRule: {
      async prepare({ params: { ruleId }, body }, { app }) {
        const given = body.draft && (await weighed(compiler, app, body.draft))
        return async (ctx) => {
          const { revisionId, draft, compareWith } = body
          if (revisionId && draft) throw badRequest('draft', 'Give either a revision or a draft.')
          const revision = (id: string) => accessRevision(ctx, { ruleId, revisionId: id })
          const row = revisionId ? await revision(revisionId) : await accessRule(ctx, ruleId)
          const a = draft
            ? { ...contentOf(contentFrom(draft, given, row)), id: ruleId }
            : tried(ctx, row)
          const b = compareWith && tried(ctx, await revision(compareWith))
          return begin(ctx, body.days, b ? [a, b] : [a])
        }
      },
    },

    dryRunDraft: {
      async prepare({ body: { days, draft } }, { app }) {
        const given = await weighed(compiler, app, draft)
        const content = contentFrom(draft, given, { ...blank, name: draft.id ?? '' })
        return (ctx) => begin(ctx, days, [content])
      },
    },

    ...plainHandlers,
  }
}

const plainHandlers: Omit<Handlers<typeof dryRuns>, Prepared> = {
  async getDryRun({ params: { dryRunId }, query }, ctx) {
    const run = await accessDryRun(ctx, dryRunId)
    return { data: { ...shown(run), matches: await listMatches(ctx.db, dryRunId, query) } }
  },

  async cancelDryRun({ params: { dryRunId } }, ctx) {
    await cancelDryRun(ctx.db, dryRunId, ctx.now)
    return { data: shown(await accessDryRun(ctx, dryRunId)) }
  },
}

async function begin(ctx: WriteCtx, days: number, rules: DryRunRow['rules']) {
  const all = rules.filter((rule) => rule !== undefined)
  for (const { filters, conditions, weight } of all) {
    checkFilters(filters)
    const referred = await checkReferences(ctx.db, conditions)
    refuseTooHeavy([...referred, ...(weight ? [weight] : [])])
  }
  await lockApp(ctx.db)
  if ((await countOpenDryRuns(ctx.db)) >= maxOpen) {
    throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxOpen, what: 'dry runs at a time' })
  }
  const referred = all
    .flatMap(({ conditions }) => conditions)
    .filter(({ isKeywordsReferencePresent }) => isKeywordsReferencePresent)
  const run = {
    id: uuidv7(),
    rules,
    lists: await currentRevisions(
      ctx.db,
      referred.flatMap(({ value }) => value),
    ),
    since: ctx.now - days * daySeconds,
    createdAt: ctx.now,
  }
  ctx.outbox.wake(dryRunQueue)
  return { data: shown(await insertDryRun(ctx.db, run)) }
}

async function accessDryRun({ db }: ReadCtx, dryRunId: string): Promise<DryRunRow> {
  const run = await findDryRun(db, dryRunId)
  if (!run) throw new Failure('ERR_DRY_RUN_NOT_FOUND', { dryRunId })
  return run
}

function tried({ app }: ReadCtx, row: RuleRow): TriedRule {
  const { id, revision } = row
  return { ...contentOf(row), id, revisionId: revisionIdOf(app.appId, id, revision) }
}

function contentOf(rule: RuleContent): RuleContent {
  const { name, description, enabled, filters, conditions, actions, weight } = rule
  return { name, description, enabled, filters, conditions, actions, weight }
}

function shown(run: DryRunRow): DryRun {
  const { id, status, since, createdAt, endedAt, scanned, onlyA, onlyB, both } = run
  const [a, b] = run.rules
  return {
    id,
    status,
    since,
    createdAt,
    ...(endedAt !== null && { endedAt }),
    rules: { a: shownRule(a), ...(b && { b: shownRule(b) }) },
    progress: { scanned, total: totalOf(run) },
    counts: { caught: onlyA + onlyB + both, onlyA, onlyB, both },
  }
}

function shownRule({ id, revisionId, name, actions }: TriedRule) {
  return { ...(id && { id }), ...(revisionId && { revisionId }), name, action: actions }
}

/** Ids grow with time: what is left is estimated from how many of them are. */
function totalOf({ status, scanned, firstId, lastId, reachedId }: DryRunRow): number {
  if (status === 'done' || firstId === null || lastId === null || reachedId === null) return scanned
  const share = (lastId - reachedId) / Math.max(1, lastId - firstId)
  return share > 0 ? Math.max(scanned, Math.round(scanned / share)) : scanned
}
