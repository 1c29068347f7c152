import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { openDatabase } from '../../../database/pool.ts'
import { openCompiler } from '../compiler/compiler.ts'
import { portableEngine } from '../engine/patterns.ts'
import { dryRunJobs } from './dry-run-jobs.ts'

// Without a worker: runs wait, and calls are followed by the shadow. What runs find: dry-run-jobs.test.ts.

const now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createRule, updateRule, deleteRule, createKeywordList, updateKeywordList } = app.as('full')
const { dryRunRule, dryRunDraft, getDryRun, cancelDryRun } = app.as('full')

const word = (value: string) => [{ value }]
const idOf = (ruleId: string, n: number) => `${app.appId}_${ruleId}_${n}`
const params = { ruleId: 'spam' }
await createRule({ body: { id: 'spam', name: 'n1', conditions: word('w1') } })
await updateRule({ params, body: { name: 'n2', conditions: word('w2'), action: ['flagMessage'] } })

/** Of one run at a time: an app may have only a few. */
async function begun(body: NonNullable<Parameters<typeof dryRunRule>[0]['body']>) {
  const { data } = await dryRunRule({ params, body })
  await cancelDryRun({ params: { dryRunId: data.id } })
  return data
}

test('a dry run is answered at once, and waits for a worker', async () => {
  const { data } = await dryRunRule({ params, body: {} })
  const before = {
    id: data.id,
    status: 'waiting',
    since: now - 7 * 86_400,
    createdAt: now,
    rules: { a: { id: 'spam', revisionId: idOf('spam', 2), name: 'n2', action: ['flagMessage'] } },
    progress: { scanned: 0, total: 0 },
    counts: { caught: 0, onlyA: 0, onlyB: 0, both: 0 },
  }
  expect(data).toEqual(before)
  const got = await getDryRun({ params: { dryRunId: data.id } })
  expect(got.data).toEqual({ ...before, matches: [] })
  const cancelled = await cancelDryRun({ params: { dryRunId: data.id } })
  expect(cancelled.data).toEqual({ ...before, status: 'cancelled', endedAt: now })
})

test('it is of the current revision, an older one, or a draft; and may be compared with one', async () => {
  const named = async (body: Parameters<typeof begun>[0]) => {
    const { a, b } = (await begun(body)).rules
    return [a, b].map((rule) => rule && [rule.name, rule.revisionId ?? 'draft'])
  }
  const first = ['n1', idOf('spam', 1)]
  expect(await named({ revisionId: idOf('spam', 1) })).toEqual([first, undefined])
  expect(await named({ compareWith: idOf('spam', 1) })).toEqual([['n2', idOf('spam', 2)], first])
  const draft = { name: 'n3', conditions: word('w3') }
  expect(await named({ draft, compareWith: idOf('spam', 1) })).toEqual([['n3', 'draft'], first])
  const both = { draft, revisionId: idOf('spam', 1) }
  await expect(begun(both)).rejects.toMatchObject({ details: { draft: [expect.any(String)] } })
})

test('a rule need not be saved to be tried', async () => {
  const draft = { name: 'new', conditions: word('w'), action: ['banUser' as const] }
  const { data } = await dryRunDraft({ body: { days: 90, draft } })
  expect(data.since).toBe(now - 90 * 86_400)
  expect(data.rules).toEqual({ a: { name: 'new', action: ['banUser'] } })
  await cancelDryRun({ params: { dryRunId: data.id } })
  await expect(dryRunDraft({ body: { days: 91, draft } })).rejects.toMatchObject({
    details: { days: [expect.any(String)] },
  })
})

test('a draft is held to what a saved rule is held to', async () => {
  const filter = { type: 'sender', entity: 'user', operator: 'equals', value: 'x' } as const
  for (const [draft, at] of [
    [{ conditions: [{ category: 'pattern', value: '(' }] }, 'conditions.0.value'],
    [{ conditions: [{ isListReferencePresent: true, value: 'nix' }] }, 'conditions.0.value'],
    [{ filters: [{ ...filter, operand: 'guid' }] }, 'filters.0.operand'],
  ] as const) {
    const refusal = { code: 'ERR_BAD_REQUEST', details: { [at]: [expect.any(String)] } }
    await expect(dryRunDraft({ body: { draft } as never })).rejects.toMatchObject(refusal)
    await expect(begun({ draft } as never)).rejects.toMatchObject(refusal)
  }
})

test('keyword lists are taken as they are when it is asked for', async () => {
  const form = { category: 'word', searchTerms: 'one' } as const
  await createKeywordList({ form: { id: 'listed', ...form } })
  await updateKeywordList({ params: { keywordId: 'listed' }, form })
  const conditions = [{ isListReferencePresent: true, value: 'listed,profanity-list' }]
  const { id } = await begun({ draft: { conditions } })
  await updateKeywordList({ params: { keywordId: 'listed' }, form })
  const { rows } = await sql`select lists from moderation_dry_runs where run_id = ${id}`.execute(
    app.db,
  )
  expect(rows).toEqual([{ lists: { listed: 2 } }])
})

test('an app has few of them at a time', async () => {
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await dryRunRule({ params, body: {} })).data.id)
  const draft = { conditions: word('w') }
  for (const fourth of [() => begun({}), () => dryRunDraft({ body: { draft } })]) {
    await expect(fourth()).rejects.toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION' })
  }
  for (const dryRunId of ids) await cancelDryRun({ params: { dryRunId } })
  await begun({})
})

test('what is not there is refused', async () => {
  const gone = { params: { dryRunId: '01900000-0000-7000-8000-000000000000' } }
  for (const call of [getDryRun, cancelDryRun]) {
    await expect(call(gone)).rejects.toMatchObject({ code: 'ERR_DRY_RUN_NOT_FOUND', status: 404 })
  }
  const badId = { params: { dryRunId: 'x' } }
  await expect(getDryRun(badId)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  const missing = { code: 'ERR_REVISION_NOT_FOUND' }
  await expect(begun({ revisionId: idOf('spam', 9) })).rejects.toMatchObject(missing)
  await expect(begun({ compareWith: idOf('email_filter', 1) })).rejects.toMatchObject(missing)
  await createRule({ body: { id: 'short', conditions: word('w') } })
  await deleteRule({ params: { ruleId: 'short' } })
  for (const ruleId of ['short', 'nix']) {
    await expect(dryRunRule({ params: { ruleId }, body: {} })).rejects.toMatchObject({
      code: 'ERR_RULE_NOT_FOUND',
    })
  }
})

test('a run that nobody brings to an end is given up; what is old is forgotten', async () => {
  await using database = openDatabase({
    url: app.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  const { data } = await dryRunRule({ params, body: {} })
  const one = { params: { dryRunId: data.id } }
  const inApp = sql`where app_id = ${app.appId} and run_id = ${data.id}`
  await sql`update moderation_dry_runs set attempt = 5 ${inApp}`.execute(database.db)
  const compiler = openCompiler(portableEngine)
  const jobs = dryRunJobs({ database, compiler, clock: () => now + 60 })
  const claimed = await jobs.queue.claim(database.db, { ...jobs.limits, most: 10 })
  for (const job of claimed) await jobs.run(job)
  expect((await getDryRun(one)).data).toMatchObject({ status: 'failed', endedAt: now + 60 })
  await jobs.cleanup?.()
  expect((await getDryRun(one)).data.status).toBe('failed')
  await dryRunJobs({ database, compiler, clock: () => now + 15 * 86_400 }).cleanup?.()
  await expect(getDryRun(one)).rejects.toMatchObject({ code: 'ERR_DRY_RUN_NOT_FOUND' })
})
