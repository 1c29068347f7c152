import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createRule, listRules, getRule, updateRule, deleteRule } = app.as('full')
const { createKeywordList, getRuleRevision } = app.as('full')

const spam = { operand: 'text', operator: 'contains', category: 'word', value: 'spam' } as const
const inForce = { enabled: true, active: true, createdAt: now, updatedAt: now }
const rule = (id: string) => createRule({ body: { id, conditions: [spam] } })

describe('create', () => {
  test('answers the rule as its first revision, records it and who did it', async () => {
    const filters = [
      { type: 'sender', entity: 'user', operand: 'role', operator: 'not in', value: 'staff,bot' },
      { type: 'receiver', entity: 'group', operand: 'guid', operator: 'startsWith', value: 'pub' },
    ] as const
    const condition = { ...spam, id: 7, value: 'spam, "ham, or so"', message: ['No spam.'] }
    const { data } = await createRule({
      body: {
        id: 'No-Spam',
        name: 'No spam',
        description: 'For all',
        action: ['flagMessage'],
        filters: [...filters],
        conditions: [condition],
      },
    })
    expect(data).toEqual({
      id: 'no-spam',
      name: 'No spam',
      description: 'For all',
      action: ['flagMessage'],
      filters,
      conditions: [
        {
          id: 7,
          entity: 'message',
          operand: 'text',
          operator: 'contains',
          category: 'word',
          isKeywordsReferencePresent: false,
          isMediaPresent: false,
          value: ['spam', 'ham, or so'],
          message: ['No spam.'],
        },
      ],
      ...inForce,
      revisionId: `${app.appId}_no-spam_1`,
    })
    expect((await getRule({ params: { ruleId: 'NO-SPAM' } })).data).toEqual(data)
    expect((await app.events()).at(-1)).toEqual({
      name: 'rule.saved',
      payload: { ruleId: 'no-spam', revisionId: `${app.appId}_no-spam_1` },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({ operation: 'createRule' })
  })

  test('what is left out: id from the name, message text contains word, block, in force', async () => {
    const { data } = await createRule({
      body: { name: 'Quiet, please!', conditions: [{ value: 'loud' }, { value: 'LOUDER' }] },
    })
    expect(data).toMatchObject({
      id: 'quiet-please',
      name: 'Quiet, please!',
      description: '',
      filters: [],
      action: ['blockMessage'],
      ...inForce,
    })
    expect(data.conditions.map(({ id, value }) => [id, value])).toEqual([
      [1, ['loud']],
      [2, ['LOUDER']],
    ])
    expect(data.conditions[0]).toMatchObject({
      entity: 'message',
      operand: 'text',
      operator: 'contains',
      category: 'word',
    })
  })

  test.each(['text', 'custom', 'image', 'video', 'audio', 'file', 'link'] as const)(
    'takes the operand %s with each operator and category',
    async (operand) => {
      const conditions = (['contains', 'equals'] as const).flatMap((operator) =>
        (['word', 'pattern'] as const).map((category) => ({
          operand,
          operator,
          category,
          value: 'a{1,3}',
        })),
      )
      const { data } = await createRule({ body: { id: `of-${operand}`, conditions } })
      expect(data.conditions).toHaveLength(4)
      expect(data.conditions.every((one) => one.operand === operand)).toBe(true)
      // In a word a comma separates, in a pattern it is part of it.
      expect(data.conditions.map(({ value }) => value.length)).toEqual([2, 1, 2, 1])
    },
  )

  test.each([
    'blockMessage',
    'dropMessage',
    'flagMessage',
    'kickUser',
    'banUser',
    'blockUser',
  ] as const)('takes the action %s', async (action) => {
    const body = { id: `do-${action}`, action: [action, action], conditions: [spam] }
    expect((await createRule({ body })).data.action).toEqual([action])
    await deleteRule({ params: { ruleId: `do-${action}` } })
  })

  test.each(['isKeywordReferencePresent', 'isKeywordsReferencePresent', 'isListReferencePresent'])(
    'refers to keyword lists by %s',
    async (spelling) => {
      const id = `list-${spelling.toLowerCase()}`
      await createKeywordList({ form: { id, category: 'word', searchTerms: 'a' } })
      const condition = { value: `${id}, Profanity-List`, [spelling]: true }
      const { data } = await createRule({ body: { id, conditions: [condition] } })
      expect(data.conditions[0]).toMatchObject({
        isKeywordsReferencePresent: true,
        value: [id, 'profanity-list'],
      })
      await deleteRule({ params: { ruleId: id } })
    },
  )

  test('refuses a condition about pictures, which nothing here could meet, and says so', async () => {
    const value = 'Drugs & Tobacco, or so_greaterThan_80'
    const condition = { operand: 'image', isMediaPresent: true, value } as const
    await expect(
      createRule({ body: { id: 'media', conditions: [condition] } }),
    ).rejects.toMatchObject({
      details: { 'conditions.0.isMediaPresent': [expect.stringContaining('ask a classifier')] },
    })
  })

  test.each<[string, string, object]>([
    ['no id and no name', 'id', {}],
    ['a name without letters as id', 'id', { name: '!?' }],
    ['a blank in the id', 'id', { id: 'a b' }],
    ['a name of 101 characters', 'name', { id: 'x', name: 'x'.repeat(101) }],
    ['a description of 256', 'description', { id: 'x', description: 'x'.repeat(256) }],
    ['11 conditions', 'conditions', { id: 'x', conditions: Array(11).fill(spam) }],
    ['an unknown action', 'action.0', { id: 'x', action: ['shout'] }],
    ['an empty value', 'conditions.0.value', { id: 'x', conditions: [{ value: ' , ' }] }],
    ['an id twice', 'conditions.1.id', { id: 'x', conditions: [{ ...spam, id: 2 }, spam] }],
    ['a broken pattern', 'conditions.0.value', { id: 'x', conditions: [pattern('a(')] }],
    ['a back reference', 'conditions.0.value', { id: 'x', conditions: [pattern('(a)\\1')] }],
    [
      'a pattern that repeats repeats',
      'conditions.0.value',
      { id: 'x', conditions: [pattern('(a{9}){99}')] },
    ],
    [
      'a pattern that matches nothing',
      'conditions.0.value',
      { id: 'x', conditions: [pattern('a*')] },
    ],
    ['a list that is not there', 'conditions.0.value', { id: 'x', conditions: [reference('nix')] }],
    [
      'a list of another kind',
      'conditions.0.category',
      { id: 'x', conditions: [{ ...reference('profanity-list'), category: 'pattern' }] },
    ],
    ['11 filters', 'filters', { id: 'x', filters: Array(11).fill(bySender('uid', 'equals')) }],
    ['a user with a guid', 'filters.0.operand', { id: 'x', filters: [bySender('guid', 'equals')] }],
    [
      'a time that is none',
      'filters.0.value',
      { id: 'x', filters: [bySender('createdAt', 'lessThan')] },
    ],
  ])('refuses %s', async (_, field, wrong) => {
    await expect(createRule({ body: { conditions: [spam], ...wrong } })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { [field]: [expect.any(String)] },
    })
  })

  test('refuses a taken id, that of a default rule included', async () => {
    await rule('taken')
    for (const id of ['TAKEN', 'email_filter']) {
      await expect(rule(id)).rejects.toMatchObject({ code: 'ERR_RULE_ALREADY_EXISTS', status: 409 })
    }
  })

  test('10 calls at the same moment never make more than 25 rules beside the defaults', async () => {
    await using busy = await startTestApp({ shadow: false })
    const calls = busy.as('full')
    const create = (id: string) => calls.createRule({ body: { id, conditions: [spam] } })
    await calls.updateRule({ params: { ruleId: 'email_filter' }, body: { enabled: true } })
    for (let n = 0; n < 20; n++) await create(`before-${n}`)
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => create(`during-${n}`)),
    )
    const refusals = answers.filter((answer) => answer.status === 'rejected')
    expect(refusals.map(({ reason }) => reason.code)).toEqual(
      Array(5).fill('ERR_PLAN_QUOTA_RESTRICTION'),
    )
    expect((await calls.listRules()).data).toHaveLength(29)
    const settings = { 'moderation.ruleLimit': 26 }
    await calls.mapAppSettings({ params: { appId: busy.appId }, body: { settings } })
    await create('one-more')
    await expect(create('too-many')).rejects.toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION' })
  })
})

test('lists rules in the order of their creation behind the defaults, page by page', async () => {
  await using fresh = await startTestApp({ clock: () => now++ })
  const calls = fresh.as('full')
  for (const id of ['b', 'a', 'c']) await calls.createRule({ body: { id, conditions: [spam] } })
  const { data, meta } = await calls.listRules()
  expect(data.map(({ id }) => id)).toEqual([
    ...['contact_details_filter', 'custom-profanity-filter', 'email_filter'],
    ...['text-profanity-filter', 'b', 'a', 'c'],
  ])
  expect(meta).toEqual({ current: { limit: 50, count: 7 } })
  const second = await calls.listRules({ query: { limit: 4, page: 2 } })
  expect(second.data.map(({ id }) => id)).toEqual(['b', 'a', 'c'])
  expect(second.meta).toEqual({ current: { limit: 4, count: 3 } })
})

describe('update', () => {
  test('changes what is given, leaves the rest, and can disable and enable', async () => {
    const { data: before } = await rule('changing')
    const params = { ruleId: 'changing' }
    const updatedAt = ++now
    const { data } = await updateRule({ params, body: { enabled: false } })
    const { createdAt } = before
    expect(data).toEqual({
      ...before,
      enabled: false,
      createdAt,
      updatedAt,
      revisionId: `${app.appId}_changing_2`,
    })
    const { data: again } = await updateRule({ params, body: { enabled: true, name: 'Other' } })
    expect(again).toMatchObject({ enabled: true, name: 'Other', conditions: before.conditions })
    await expect(updateRule({ params: { ruleId: 'nix' } })).rejects.toMatchObject({
      code: 'ERR_RULE_NOT_FOUND',
      status: 404,
    })
  })
})

describe('default rules', () => {
  test('are there from the first moment, and not in force', async () => {
    const { data } = await getRule({ params: { ruleId: 'text-profanity-filter' } })
    expect(data).toMatchObject({
      enabled: false,
      default: true,
      active: true,
      action: ['blockMessage'],
      revisionId: `${app.appId}_text-profanity-filter_1`,
      conditions: [{ isKeywordsReferencePresent: true, value: ['profanity-list'] }],
    })
  })

  test('can be enabled and given other actions, and nothing else', async () => {
    const params = { ruleId: 'email_filter' }
    const { data: before } = await getRule({ params })
    const { data } = await updateRule({
      params,
      body: { enabled: true, action: ['flagMessage'], name: 'Mine', conditions: [spam] },
    })
    expect(data).toEqual({
      ...before,
      enabled: true,
      action: ['flagMessage'],
      updatedAt: now,
      revisionId: `${app.appId}_email_filter_2`,
    })
    await expect(deleteRule({ params })).rejects.toMatchObject({
      code: 'ERR_OPERATION_FAILED',
      status: 403,
    })
  })
})

test('a deleted rule is gone; a new one of its id counts on, and hides what it said', async () => {
  await rule('short-lived')
  const params = { ruleId: 'short-lived' }
  await updateRule({ params, body: { name: 'Second' } })
  expect((await deleteRule({ params })).data.success).toBe(true)
  expect((await app.events()).at(-1)).toEqual({ name: 'rule.deleted', payload: params })
  for (const call of [getRule, deleteRule]) {
    await expect(call({ params })).rejects.toMatchObject({ code: 'ERR_RULE_NOT_FOUND' })
  }
  expect((await listRules()).data.some(({ id }) => id === 'short-lived')).toBe(false)
  const { data } = await rule('short-lived')
  expect(data.revisionId).toBe(`${app.appId}_short-lived_3`)
  const old = { ...params, revisionId: `${app.appId}_short-lived_2` }
  expect((await getRuleRevision({ params: old })).data).toMatchObject({ name: 'Second' })
})

test('an auth-only key has no business here', async () => {
  await expect(app.as('auth').listRules()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
})

function pattern(value: string) {
  return { category: 'pattern', value } as const
}

function reference(value: string) {
  return { isKeywordReferencePresent: true, value } as const
}

function bySender(operand: string, operator: string) {
  return { type: 'sender', entity: 'user', operand, operator, value: 'x' }
}
