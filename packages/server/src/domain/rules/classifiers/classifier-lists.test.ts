import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

// At one moment: lists that are created in one second are in the order of their ids, in the shadow as well.
const app = await startTestApp({ clock: () => 1_800_000_000 })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')

const url = 'https://classifier.example/ask'
const custom = { category: 'customApi', webhookURL: url } as const
const openAi = {
  category: 'openai',
  baseUrl: 'https://llm.example/v1',
  model: 'm',
  prompt: 'Insults.',
} as const
const create = (id: string, form: object = custom) =>
  full.createKeywordList({ form: { id, ...custom, ...form } })
const update = (keywordId: string, form: object) =>
  full.updateKeywordList({ params: { keywordId }, form: { ...custom, ...form } })
const refused = (field: string) => ({
  code: 'ERR_BAD_REQUEST',
  details: { [field]: [expect.anything()] },
})

describe('a keyword list that is a classifier', () => {
  test('has an address, and says nothing of its secret', async () => {
    const secrets = { username: 'ada', password: 'never-seen-again' }
    const { data } = await create('own', { ...secrets, onError: 'block', contextWindow: '7' })
    expect(data).toMatchObject({
      id: 'own',
      category: 'customApi',
      searchTerms: [],
      isCSV: false,
      webhookURL: url,
      username: 'ada',
      onError: 'block',
      contextWindow: 7,
    })
    const { data: llm } = await create('llm', { ...openAi, apiKey: 'sk-never-seen' })
    expect(llm).toMatchObject({
      baseUrl: openAi.baseUrl,
      model: 'm',
      prompt: 'Insults.',
      onError: 'allow',
      contextWindow: 0,
    })
    await update('llm', { ...openAi, model: 'n' })
    const shown = [
      ...[data, llm, await full.getKeywordList({ params: { keywordId: 'llm' } })],
      ...[await full.listKeywordLists({}), await auditOf(app.db, app.appId), await app.events()],
    ]
    expect(JSON.stringify(shown)).not.toMatch(/never-seen/)
    const { rows } = await sql<{ kept: string }>`
      select l::text as kept from moderation_keyword_lists l`.execute(app.db)
    expect(JSON.stringify(rows)).not.toMatch(/never-seen/)
    const { rows: sealed } = await sql`
      select classifier_secret_encrypted from moderation_keyword_lists
      where app_id = ${app.appId} and classifier_secret_encrypted is null`.execute(app.db)
    expect(sealed).toEqual([])
  })

  test('keeps what an update does not give, but no secret for another address', async () => {
    await create('keeps', { username: 'ada', password: 'p', contextWindow: '3' })
    const { data } = await update('keeps', { onError: 'block' })
    expect(data).toMatchObject({ username: 'ada', contextWindow: 3, onError: 'block' })
    const moved = { webhookURL: 'https://other.example' }
    await expect(update('keeps', moved)).rejects.toMatchObject(refused('password'))
    expect((await update('keeps', { ...moved, password: 'q' })).data).toMatchObject(moved)
    expect((await update('keeps', { ...moved, username: '' })).data).not.toHaveProperty('username')
    const form = { category: 'word', searchTerms: 'a' } as const
    const { data: words } = await full.updateKeywordList({ params: { keywordId: 'keeps' }, form })
    expect(words).not.toHaveProperty('webhookURL')
  })

  test.each([
    ['webhookURL', { webhookURL: 'http://classifier.example' }],
    ['webhookURL', { webhookURL: 'https://10.0.0.1/' }],
    ['password', { username: 'ada' }],
    ['baseUrl', { category: 'openai', model: 'm', prompt: 'p' }],
    ['model', { ...openAi, model: undefined }],
    ['prompt', { ...openAi, prompt: undefined }],
    ['contextWindow', { contextWindow: '51' }],
    ['onError', { onError: 'perhaps' }],
  ])('is refused for %s that will not do', async (field, form) => {
    const given = Object.entries({ id: 'never', ...custom, ...form })
    const said = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    const making = full.createKeywordList({ form: { category: 'customApi', ...said } })
    await expect(making).rejects.toMatchObject(refused(field))
  })
})

describe('a condition that asks a classifier', () => {
  test('names its list, which is of the same kind', async () => {
    await create('asked')
    const rule = (condition: object) =>
      full.createRule({
        body: { id: 'asks', conditions: [{ category: 'customApi', ...condition }] },
      })
    await expect(rule({ value: 'asked' })).rejects.toMatchObject(refused('conditions.0.value'))
    const reference = { isKeywordReferencePresent: true, value: 'asked' }
    await expect(rule({ ...reference, category: 'openai' })).rejects.toMatchObject(
      refused('conditions.0.category'),
    )
    const { data } = await rule(reference)
    expect(data.conditions).toMatchObject([{ category: 'customApi', value: ['asked'] }])
    await expect(full.deleteKeywordList({ params: { keywordId: 'asked' } })).rejects.toMatchObject({
      code: 'ERR_KEYWORD_LIST_IN_USE',
    })
  })
})
