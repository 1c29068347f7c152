import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
const { appId } = app
const conditions = [{ value: 'spam' }]

describe('the operator, at the management address', () => {
  test('does with the rules of an app what the app does', async () => {
    const ruleId = 'theirs'
    const params = { appId, ruleId }
    const create = (id: string) =>
      calls.createRuleOfApp({ params: { appId }, body: { id, conditions } })
    const { data } = await create(ruleId)
    expect((await calls.getRule({ params: { ruleId } })).data).toEqual(data)
    expect((await calls.getRuleOfApp({ params })).data).toEqual(data)
    expect((await auditOf(app.db, appId)).at(-1)).toMatchObject({
      caller: 'management:tests',
      operation: 'createRuleOfApp',
    })
    await expect(create(ruleId)).rejects.toMatchObject({ code: 'ERR_RULE_ALREADY_EXISTS' })
    await calls.updateRuleOfApp({ params, body: { enabled: false } })
    const revisions = (await calls.listRuleRevisionsOfApp({ params })).data
    expect(revisions.map(({ enabled }) => enabled)).toEqual([false, true])
    const first = { ...params, revisionId: `${appId}_theirs_1` }
    expect((await calls.getRuleRevisionOfApp({ params: first })).data.enabled).toBe(true)
    expect((await calls.restoreRuleOfApp({ params: first })).data.enabled).toBe(true)
    expect((await calls.listRulesOfApp({ params: { appId } })).data.at(-1)?.id).toBe(ruleId)
    expect((await calls.deleteRuleOfApp({ params })).data.success).toBe(true)
    const missing = { code: 'ERR_RULE_NOT_FOUND', status: 404 }
    await expect(calls.getRuleOfApp({ params })).rejects.toMatchObject(missing)
    await expect(calls.updateRuleOfApp({ params })).rejects.toMatchObject(missing)
    await expect(calls.deleteRuleOfApp({ params })).rejects.toMatchObject(missing)
    await expect(calls.listRuleRevisionsOfApp({ params })).rejects.toMatchObject(missing)
    await expect(calls.restoreRuleOfApp({ params: first })).rejects.toMatchObject(missing)
    await create(ruleId)
    const never = { ...params, revisionId: `${appId}_theirs_9` }
    const unread = { code: 'ERR_REVISION_NOT_FOUND', status: 404 }
    await expect(calls.getRuleRevisionOfApp({ params: never })).rejects.toMatchObject(unread)
    await expect(calls.restoreRuleOfApp({ params: never })).rejects.toMatchObject(unread)
    const builtIn = { appId, ruleId: 'email_filter' }
    await expect(calls.deleteRuleOfApp({ params: builtIn })).rejects.toMatchObject({
      code: 'ERR_OPERATION_FAILED',
    })
  })

  test('does with its keyword lists what the app does', async () => {
    const keywordId = 'theirs'
    const params = { appId, keywordId }
    const body = { category: 'word', searchTerms: 'a,b' } as const
    const create = (id: string) =>
      calls.createKeywordListOfApp({ params: { appId }, form: { id, ...body } })
    const { data } = await create(keywordId)
    expect((await calls.getKeywordList({ params: { keywordId } })).data).toEqual(data)
    expect((await calls.getKeywordListOfApp({ params })).data).toEqual(data)
    await expect(create(keywordId)).rejects.toMatchObject({
      code: 'ERR_KEYWORD_LIST_ALREADY_EXISTS',
    })
    const updated = await calls.updateKeywordListOfApp({ params, form: { ...body, name: 'New' } })
    expect(updated.data.name).toBe('New')
    expect((await calls.listKeywordListsOfApp({ params: { appId } })).data).toHaveLength(2)
    const reference = [{ isKeywordReferencePresent: true, value: keywordId }]
    await calls.createRuleOfApp({ params: { appId }, body: { id: 'user', conditions: reference } })
    const inUse = { code: 'ERR_KEYWORD_LIST_IN_USE' }
    const patterns = { category: 'pattern', searchTerms: 'a' } as const
    await expect(calls.updateKeywordListOfApp({ params, form: patterns })).rejects.toMatchObject(
      inUse,
    )
    await expect(calls.deleteKeywordListOfApp({ params })).rejects.toMatchObject(inUse)
    await calls.deleteRuleOfApp({ params: { appId, ruleId: 'user' } })
    await calls.deleteKeywordListOfApp({ params })
    const missing = { code: 'ERR_KEYWORD_LIST_NOT_FOUND' }
    await expect(calls.getKeywordListOfApp({ params })).rejects.toMatchObject(missing)
    await expect(calls.updateKeywordListOfApp({ params, form: body })).rejects.toMatchObject(
      missing,
    )
    await expect(calls.deleteKeywordListOfApp({ params })).rejects.toMatchObject(missing)
    const builtIn = { appId, keywordId: 'profanity-list' }
    const fixed = { code: 'ERR_OPERATION_FAILED' }
    await expect(
      calls.updateKeywordListOfApp({ params: builtIn, form: body }),
    ).rejects.toMatchObject(fixed)
    await expect(calls.deleteKeywordListOfApp({ params: builtIn })).rejects.toMatchObject(fixed)
  })

  test('meets the same limits', async () => {
    const other = await app.anotherApp()
    const params = { appId: other.appId }
    const body = (n: number) => ({ id: `x-${n}`, conditions, category: 'word' }) as const
    const refusal = { code: 'ERR_PLAN_QUOTA_RESTRICTION' }
    const theirs = app.client(other, 'full')
    const rule = (n: number) => theirs.createRuleOfApp({ params, body: body(n) })
    const list = (n: number) =>
      theirs.createKeywordListOfApp({ params, form: { ...body(n), searchTerms: 'a' } })
    for (const create of [rule, list]) {
      for (let n = 0; n < 25; n++) await create(n)
      await expect(create(25)).rejects.toMatchObject(refusal)
    }
  })

  test('is told that an app does not exist', async () => {
    const there = { appId: 'nosuchapp' }
    const rule = { ...there, ruleId: 'x' }
    const revision = { ...rule, revisionId: 'nosuchapp_x_1' }
    const list = { ...there, keywordId: 'x' }
    const body = { id: 'x', category: 'word' } as const
    const attempts = [
      () => calls.createRuleOfApp({ params: there, body: { conditions } }),
      () => calls.listRulesOfApp({ params: there }),
      () => calls.getRuleOfApp({ params: rule }),
      () => calls.updateRuleOfApp({ params: rule }),
      () => calls.deleteRuleOfApp({ params: rule }),
      () => calls.listRuleRevisionsOfApp({ params: rule }),
      () => calls.getRuleRevisionOfApp({ params: revision }),
      () => calls.restoreRuleOfApp({ params: revision }),
      () => calls.createKeywordListOfApp({ params: there, form: body }),
      () => calls.listKeywordListsOfApp({ params: there }),
      () => calls.getKeywordListOfApp({ params: list }),
      () => calls.updateKeywordListOfApp({ params: list, form: body }),
      () => calls.deleteKeywordListOfApp({ params: list }),
      () => calls.listBlockedMessagesOfApp({ params: there }),
      () =>
        calls.reviewBlockedMessageOfApp({
          params: { ...there, messageId: '64' },
          body: { status: 'approved' },
        }),
    ]
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: 'ERR_APP_NOT_FOUND', status: 404 })
    }
  })

  test('needs the management key', async () => {
    const stranger = app.client(app.keys, 'full', { key: '', secret: '' })
    await expect(stranger.listRulesOfApp({ params: { appId } })).rejects.toMatchObject({
      code: 'AUTH_ERR_EMPTY_AUTH_HEADER',
    })
  })
})
