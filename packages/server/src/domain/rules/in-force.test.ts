import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

// Calls at the same moment: no shadow could follow.
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { createKeywordList, updateKeywordList, createRule, updateRule } = app.as('full')
const { deleteRule, dryRunDraft } = app.as('full')

const patterns = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `[xy]${from + n}z`)
const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join()
const full = { code: 'ERR_PLAN_QUOTA_RESTRICTION', status: 403 }
const referring = (value: string, times = 1, category: 'word' | 'pattern' = 'word') =>
  Array.from({ length: times }, () => ({ category, isKeywordReferencePresent: true, value }))

async function clear(...ids: string[]) {
  for (const ruleId of ids) await deleteRule({ params: { ruleId } })
}

describe('C2: what is in force is bounded in sum', () => {
  test('a list has at most 80 patterns, and these not too much work', async () => {
    const make = (id: string, searchTerms: string) =>
      createKeywordList({ form: { id, category: 'pattern', searchTerms } })
    const refusal = (text: string) => ({
      code: 'ERR_BAD_REQUEST',
      details: { searchTerms: [expect.stringContaining(text)] },
    })
    await expect(make('81', patterns(81).join())).rejects.toMatchObject(refusal('80 patterns'))
    const heavy = Array.from({ length: 20 }, (_, n) => `[a${n}].{7}[!?]`).join()
    await expect(make('heavy', heavy)).rejects.toMatchObject(refusal('together'))
    expect((await make('80', patterns(80).join())).data.searchTerms).toHaveLength(80)
  })

  test('calls at the same moment do not get past it', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `racing-${n}`)
    const outcomes = await Promise.allSettled(
      ids.map((id, n) => {
        const value = patterns(20, 100 * n)
        return createRule({ body: { id, conditions: [{ category: 'pattern', value }] } })
      }),
    )
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refused).toEqual(Array(3).fill('ERR_PLAN_QUOTA_RESTRICTION'))
    await clear(...ids.filter((_, n) => outcomes[n]?.status === 'fulfilled'))
  })

  test('a list counts once for each condition that refers to it, in rules that are enabled', async () => {
    await createKeywordList({ form: { id: 'many', category: 'word', searchTerms: words(20_000) } })
    const conditions = (times: number) => referring('many', times)
    await createRule({ body: { id: 'twice', conditions: conditions(2) } })
    const third = { id: 'third', conditions: conditions(1) }
    await expect(createRule({ body: third })).rejects.toMatchObject({
      ...full,
      message: expect.stringContaining('50000 words in force'),
    })
    await createRule({ body: { ...third, enabled: false } })
    const enable = { params: { ruleId: 'third' }, body: { enabled: true } }
    await expect(updateRule(enable)).rejects.toMatchObject(full)
    await expect(
      dryRunDraft({ body: { days: 1, draft: { conditions: conditions(3) } } }),
    ).rejects.toMatchObject(full)
    // Less is let through, and then there is room.
    await updateRule({ params: { ruleId: 'twice' }, body: { conditions: conditions(1) } })
    expect((await updateRule(enable)).data.enabled).toBe(true)
    await clear('twice', 'third')
  })

  test('a list that grows is counted where it is in use', async () => {
    const form = (searchTerms: string) => ({ category: 'word', searchTerms }) as const
    await createKeywordList({ form: { id: 'growing', ...form(words(10_000)) } })
    await createRule({ body: { id: 'four', conditions: referring('growing', 4) } })
    const params = { keywordId: 'growing' }
    const more = updateKeywordList({ params, form: form(words(15_000)) })
    await expect(more).rejects.toMatchObject(full)
    await updateKeywordList({ params, form: form(words(12_000)) })
    await clear('four')
  })

  test('rules and lists together hold 2 MB of terms at most', async () => {
    const long = (n: number) => `${'x'.repeat(190)}${n}`
    const form = (id: string) => ({
      id,
      category: 'word' as const,
      searchTerms: Array.from({ length: 5000 }, (_, n) => long(n)).join(),
    })
    await createKeywordList({ form: form('long-1') })
    await expect(createKeywordList({ form: form('long-2') })).rejects.toMatchObject({
      ...full,
      message: expect.stringContaining('2000000 bytes'),
    })
  })
})

test('C2: changes by the operator and returns to older revisions are counted, too', async () => {
  await using other = await startTestApp({ shadow: false })
  const { appId } = other
  const calls = other.as('full')
  const many = (from: number) => [{ category: 'pattern' as const, value: patterns(60, from) }]
  const one = [{ category: 'pattern' as const, value: patterns(1) }]
  const params = { ruleId: 'old' }
  await calls.createRule({ body: { id: 'old', conditions: many(0) } })
  await calls.updateRule({ params, body: { conditions: one } })
  await calls.createRule({ body: { id: 'new', conditions: many(100) } })
  await calls.createKeywordList({ form: { id: 'few', category: 'pattern', searchTerms: '[ab]c' } })
  await calls.createRule({ body: { id: 'using', conditions: referring('few', 1, 'pattern') } })
  const first = { ...params, revisionId: `${appId}_old_1` }
  const form = { category: 'pattern' as const, searchTerms: patterns(60, 200).join() }
  const refused = [
    calls.restoreRule({ params: first }),
    calls.restoreRuleOfApp({ params: { appId, ...first } }),
    calls.updateRuleOfApp({ params: { appId, ...params }, body: { conditions: many(300) } }),
    calls.updateKeywordListOfApp({ params: { appId, keywordId: 'few' }, form }),
  ]
  for (const call of await Promise.allSettled(refused)) {
    expect(call).toMatchObject({ status: 'rejected', reason: full })
  }
})

test('C2: of revisions that are not in force 2 MB are kept, and those that a dry run needs', async () => {
  await using other = await startTestApp({ shadow: false })
  const calls = other.as('full')
  const big = (n: number) => Array.from({ length: 3000 }, (_, i) => `${n}-${'y'.repeat(180)}${i}`)
  const save = (n: number) => ({ category: 'word' as const, searchTerms: big(n).join() })
  const params = { keywordId: 'big' }
  await calls.createKeywordList({ form: { id: 'big', ...save(0) } })
  await calls.createRule({ body: { id: 'using', conditions: referring('big') } })
  const { data: run } = await calls.dryRunRule({ params: { ruleId: 'using' }, body: {} })
  const kept = async () => {
    const { rows } = await sql<{ revision: number }>`
      select revision from moderation_keyword_lists
      where app_id = ${other.appId} and list_id = 'big' order by revision`.execute(other.db)
    return rows.map(({ revision }) => revision)
  }
  for (let n = 1; n <= 6; n++) await calls.updateKeywordList({ params, form: save(n) })
  expect(await kept()).toEqual([1, 4, 5, 6, 7])
  await calls.cancelDryRun({ params: { dryRunId: run.id } })
  await calls.updateKeywordList({ params, form: save(7) })
  expect(await kept()).toEqual([5, 6, 7, 8])
  // A deleted rule is still read by its revision.
  await calls.deleteRule({ params: { ruleId: 'using' } })
  const revisionId = `${other.appId}_using_1`
  expect((await calls.getRuleRevision({ params: { ruleId: 'using', revisionId } })).data.id).toBe(
    'using',
  )
})
