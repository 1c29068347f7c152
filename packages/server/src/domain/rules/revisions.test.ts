import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createRule, updateRule, deleteRule, createKeywordList, deleteKeywordList } = app.as('full')
const { getRule, listRuleRevisions, getRuleRevision, restoreRule } = app.as('full')

const word = (value: string) => [{ operand: 'text', value } as const]
const idOf = (ruleId: string, n: number) => `${app.appId}_${ruleId}_${n}`

/** A rule with as many revisions, named after their numbers, one second apart. */
async function given(id: string, revisions: number) {
  const createdAt = ++now
  await createRule({ body: { id, name: 'n1', conditions: word('w1') } })
  for (let n = 2; n <= revisions; n++) {
    now++
    await updateRule({ params: { ruleId: id }, body: { name: `n${n}`, conditions: word(`w${n}`) } })
  }
  return { ruleId: id, createdAt }
}

describe('requirement 4.12: get moderation rule revisions', () => {
  test('requirement 4.12: GET /moderation/rules/{ruleId}/revisions answers 200 and JSON', async () => {
    await given('wire', 2)
    const response = await fetch(`${app.origin}/v3/moderation/rules/wire/revisions`, {
      headers: { appId: app.appId, apikey: app.keys.full },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const answer = await response.json()
    expect(Object.keys(answer)).toEqual(['data', 'meta'])
    expect(answer.meta).toEqual({ current: { limit: 10, count: 2 } })
  })

  test('requirement 4.12, 2.9: data are the revisions, whole, the highest number first', async () => {
    const { ruleId, createdAt } = await given('three', 3)
    const { data } = await listRuleRevisions({ params: { ruleId } })
    expect(data).toEqual(
      [3, 2, 1].map((n) => ({
        id: ruleId,
        name: `n${n}`,
        description: '',
        enabled: true,
        filters: [],
        conditions: [
          {
            id: 1,
            isKeywordsReferencePresent: false,
            isMediaPresent: false,
            entity: 'message',
            operand: 'text',
            category: 'word',
            operator: 'contains',
            value: [`w${n}`],
          },
        ],
        action: ['blockMessage'],
        active: n === 3,
        createdAt,
        updatedAt: createdAt + n - 1,
        revisionId: idOf(ruleId, n),
      })),
    )
  })

  test('requirement 4.12: meta.current has the limit, 10 by default, and the count', async () => {
    const { ruleId } = await given('twelve', 12)
    const page = async (query?: object) => {
      const { data, meta } = await listRuleRevisions({
        params: { ruleId },
        ...(query && { query }),
      })
      return { names: data.map(({ name }) => name), ...meta.current }
    }
    const newest = ['n12', 'n11', 'n10', 'n9', 'n8', 'n7', 'n6', 'n5', 'n4', 'n3']
    expect(await page()).toEqual({ names: newest, limit: 10, count: 10 })
    expect(await page({ page: 2 })).toEqual({ names: ['n2', 'n1'], limit: 10, count: 2 })
    expect(await page({ limit: 1 })).toEqual({ names: ['n12'], limit: 1, count: 1 })
    await expect(page({ limit: 101 })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })

  test('requirement 2.9: the id of a revision is <appId>_<ruleId>_<revision number>', async () => {
    const { ruleId } = await given('with_under-scores_1', 2)
    const { data } = await listRuleRevisions({ params: { ruleId } })
    expect(data.map(({ revisionId }) => revisionId)).toEqual([idOf(ruleId, 2), idOf(ruleId, 1)])
  })

  test('requirement 4.12: of a rule that is not there, or no more, there is no list', async () => {
    const { ruleId } = await given('leaving', 1)
    await deleteRule({ params: { ruleId } })
    for (const gone of [ruleId, 'nix']) {
      await expect(listRuleRevisions({ params: { ruleId: gone } })).rejects.toMatchObject({
        code: 'ERR_RULE_NOT_FOUND',
        status: 404,
      })
    }
  })

  test('of a rule that was deleted and created anew, only the new revisions are listed', async () => {
    const { ruleId } = await given('anew', 2)
    await deleteRule({ params: { ruleId } })
    await createRule({ body: { id: ruleId, name: 'new', conditions: word('new') } })
    const { data } = await listRuleRevisions({ params: { ruleId } })
    expect(data.map(({ name, revisionId }) => [name, revisionId])).toEqual([
      ['new', idOf(ruleId, 3)],
    ])
  })

  test('of a default rule that nobody has changed there is one', async () => {
    const params = { ruleId: 'custom-profanity-filter' }
    const one = await listRuleRevisions({ params })
    expect(one.data.map(({ active, revisionId }) => [active, revisionId])).toEqual([
      [true, idOf(params.ruleId, 1)],
    ])
    await updateRule({ params, body: { enabled: true } })
    const two = await listRuleRevisions({ params })
    expect(two.data.map(({ active, enabled }) => [active, enabled])).toEqual([
      [true, true],
      [false, false],
    ])
  })
})

describe('a revision', () => {
  test('can be read for ever, by its id', async () => {
    const { ruleId } = await given('read', 3)
    const read = async (revisionId: string) =>
      (await getRuleRevision({ params: { ruleId, revisionId } })).data.name
    expect(await read(idOf(ruleId, 2))).toBe('n2')
    await deleteRule({ params: { ruleId } })
    expect(await read(idOf(ruleId, 1))).toBe('n1')
    expect((await getRule({ params: { ruleId: 'email_filter' } })).data.active).toBe(true)
    const builtIn = { ruleId: 'email_filter', revisionId: idOf('email_filter', 1) }
    expect((await getRuleRevision({ params: builtIn })).data.default).toBe(true)
    for (const wrong of [idOf(ruleId, 4), idOf('three', 1), `other_${ruleId}_1`]) {
      await expect(read(wrong)).rejects.toMatchObject({ code: 'ERR_REVISION_NOT_FOUND' })
    }
  })

  test('of another app is not found, although its rule has the same id', async () => {
    const { ruleId } = await given('shared', 2)
    const other = await app.anotherApp()
    const calls = app.client(other, 'full')
    await calls.createRule({ body: { id: ruleId, name: 'other', conditions: word('other') } })
    const read = async (n: number) => {
      const params = { ruleId, revisionId: `${other.appId}_${ruleId}_${n}` }
      return (await calls.getRuleRevision({ params })).data.name
    }
    expect(await read(1)).toBe('other')
    await expect(read(2)).rejects.toMatchObject({ code: 'ERR_REVISION_NOT_FOUND' })
  })

  test('can be restored: the next revision is like it', async () => {
    const { ruleId, createdAt } = await given('restored', 3)
    const params = { ruleId, revisionId: idOf(ruleId, 1) }
    now++
    const { data } = await restoreRule({ params })
    expect(data).toMatchObject({
      name: 'n1',
      active: true,
      createdAt,
      updatedAt: now,
      revisionId: idOf(ruleId, 4),
      conditions: [{ value: ['w1'] }],
    })
    const all = await listRuleRevisions({ params: { ruleId } })
    expect(all.data.map(({ name, active }) => [name, active])).toEqual([
      ['n1', true],
      ['n3', false],
      ['n2', false],
      ['n1', false],
    ])
    await expect(
      restoreRule({ params: { ruleId, revisionId: idOf(ruleId, 9) } }),
    ).rejects.toMatchObject({ code: 'ERR_REVISION_NOT_FOUND' })
    await deleteRule({ params: { ruleId } })
    await expect(restoreRule({ params })).rejects.toMatchObject({
      code: 'ERR_RULE_NOT_FOUND',
    })
  })

  test('is not restored if it refers to a list that is gone', async () => {
    await createKeywordList({ form: { id: 'going', category: 'word', searchTerms: 'a' } })
    const conditions = [{ isKeywordReferencePresent: true, value: 'going' }]
    await createRule({ body: { id: 'referring', conditions } })
    await updateRule({ params: { ruleId: 'referring' }, body: { conditions: word('a') } })
    await deleteKeywordList({ params: { keywordId: 'going' } })
    const params = { ruleId: 'referring', revisionId: idOf('referring', 1) }
    await expect(restoreRule({ params })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { 'conditions.0.value': [expect.any(String)] },
    })
  })

  test('updates at the same moment make one revision each', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    await calls.createRule({ body: { id: 'busy', conditions: word('a') } })
    const params = { ruleId: 'busy' }
    await Promise.all(Array.from({ length: 8 }, () => calls.updateRule({ params, body: {} })))
    const { data } = await calls.listRuleRevisions({ params })
    expect(data.map(({ revisionId }) => revisionId)).toEqual(
      [9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `${busy.appId}_busy_${n}`),
    )
    expect(data.filter(({ active }) => active)).toHaveLength(1)
  })
})
