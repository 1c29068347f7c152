import type { Filter } from '@chorale/contract/rules'
import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { profilesIn } from '../views/index.ts'
import { holds } from './filters.ts'
import { findActiveRules } from './rules.sql.ts'

/** What a user or group says about itself, and filters of rules may ask for. */
interface Facts {
  readonly name: string
  readonly tags: readonly string[]
}

interface Changes {
  readonly name?: string | undefined
  readonly tags?: readonly string[] | undefined
}

interface Prepared<I, O> {
  readonly prepare: (input: I, ctx: ReadCtx) => Promise<(ctx: WriteCtx) => Promise<O>>
}
type AnyHandler<I, O> = ((input: I, ctx: WriteCtx) => Promise<O>) | Prepared<I, O>

/**
 * Whether a rule looks at a message may depend on the name and the tags of who sends it, or of the
 * group. A device does not change them so that a rule looks away.
 */
export function guardUser<I extends { readonly body: Changes }, O>(
  handler: AnyHandler<I, O>,
): Prepared<I, O> {
  return checkedFirst(handler, async ({ body }, ctx) => {
    const { uid = '' } = ctx.actor ?? {}
    await requireSameRules(ctx, 'user', body, async () => {
      const { users } = await profilesIn(ctx.db).find(
        { uids: [uid], guids: [], blocks: false },
        uid,
      )
      return factsOf(users[0])
    })
  })
}

export function guardGroup<
  I extends { readonly params: { readonly guid: string }; readonly body: Changes },
  O,
>(handler: AnyHandler<I, O>): Prepared<I, O> {
  return checkedFirst(handler, ({ params: { guid }, body }, ctx) =>
    requireSameRules(ctx, 'group', body, async () => {
      const wanted = { uids: [], guids: [guid], blocks: false }
      const { groups } = await profilesIn(ctx.db).find(wanted, undefined)
      return factsOf(groups[0])
    }),
  )
}

/** A new group is looked at as if it had no tags. */
export function guardNewGroup<I extends { readonly body: Changes }, O>(
  handler: AnyHandler<I, O>,
): Prepared<I, O> {
  return checkedFirst(handler, ({ body: { name = '', tags } }, ctx) =>
    requireSameRules(ctx, 'group', { tags }, async () => ({ name, tags: [] })),
  )
}

function checkedFirst<I, O>(
  handler: AnyHandler<I, O>,
  check: (input: I, ctx: ReadCtx) => Promise<void>,
): Prepared<I, O> {
  return {
    async prepare(input, before) {
      await check(input, before)
      return typeof handler === 'function'
        ? (ctx) => handler(input, ctx)
        : handler.prepare(input, before)
    },
  }
}

function factsOf(row: { readonly name: string; readonly tags: string[] | null } | undefined) {
  return row && { name: row.name, tags: row.tags ?? [] }
}

/** The server of the app may change anything; without rules nothing depends on it. */
async function requireSameRules(
  { app, caller, db }: ReadCtx,
  entity: Filter['entity'],
  { name, tags }: Changes,
  current: () => Promise<Facts | undefined>,
): Promise<void> {
  if (caller.kind !== 'device' || app.moderationVersion === 0) return
  if (name === undefined && tags === undefined) return
  const before = await current()
  if (!before) return
  const after = { name: name ?? before.name, tags: tags ?? before.tags }
  const rules = await findActiveRules(db)
  const filters = rules.filter(({ enabled }) => enabled).flatMap((rule) => rule.filters)
  for (const filter of filters.filter((one) => one.entity === entity)) {
    if (isMet(filter, before) !== isMet(filter, after)) {
      const what = `a change of ${filter.operand} that moderation rules depend on`
      throw new Failure('ERR_PERMISSION_DENIED', { what })
    }
  }
}

function isMet(filter: Filter, { name, tags }: Facts): boolean {
  if (filter.operand === 'name') return holds(filter, [name])
  return filter.operand === 'tags' && holds(filter, tags)
}
