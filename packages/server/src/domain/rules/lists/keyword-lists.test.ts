import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { createKeywordList, listKeywordLists, getKeywordList } = app.as('full')
const { updateKeywordList, deleteKeywordList, createRule, updateRule } = app.as('full')

const words = (id: string, searchTerms = 'a') =>
  createKeywordList({ form: { id, category: 'word', searchTerms } })
const termsOf = async (keywordId: string) =>
  (await getKeywordList({ params: { keywordId } })).data.searchTerms

/** As a browser sends it. */
async function sendForm(method: 'POST' | 'PUT', path: string, fields: [string, string | File][]) {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  const headers = { appId: app.appId, apikey: app.keys.full }
  const response = await fetch(`${app.origin}/v3/moderation/${path}`, { method, headers, body })
  return { status: response.status, ...(await response.json()) }
}

const csv = (text: string | Uint8Array<ArrayBuffer>) =>
  new File([text], 'words.csv', { type: 'text/csv' })

describe('create', () => {
  test('answers the list as its first revision, records it and who did it', async () => {
    const { data } = await createKeywordList({
      form: {
        id: 'Rude',
        name: 'Rude words',
        description: 'Ours',
        category: 'word',
        searchTerms: ' b , a,, "c, d" ,b',
      },
    })
    expect(data).toEqual({
      id: 'rude',
      name: 'Rude words',
      description: 'Ours',
      category: 'word',
      isCSV: false,
      searchTerms: ['b', 'a', 'c, d'],
      active: true,
      createdAt: now,
      updatedAt: now,
      revisionId: `${app.appId}_rude_1`,
    })
    expect((await getKeywordList({ params: { keywordId: 'RUDE' } })).data).toEqual(data)
    expect((await app.events()).at(-1)).toEqual({
      name: 'keywordList.saved',
      payload: { keywordId: 'rude', revisionId: `${app.appId}_rude_1` },
    })
    expect((await auditOf(app.db, app.appId)).at(-1)).toMatchObject({
      operation: 'createKeywordList',
    })
  })

  test('from a multipart form with a CSV file', async () => {
    const { status, data } = await sendForm('POST', 'keywords', [
      ['id', 'from-file'],
      ['category', 'word'],
      ['file', csv('one,two\r\n"three, four","say ""five"""\n\nsix\n')],
    ])
    expect(status).toBe(200)
    expect(data).toMatchObject({ id: 'from-file', isCSV: true })
    expect(data.searchTerms).toEqual(['one', 'two', 'three, four', 'say "five"', 'six'])
  })

  test('from a multipart form with texts, lists among them', async () => {
    const pattern = await sendForm('POST', 'keywords', [
      ['name', 'My patterns'],
      ['category', 'pattern'],
      ['searchTerms', '\\d{3,5},[a,b]c,"x,y"'],
    ])
    expect(pattern.data).toMatchObject({ id: 'my-patterns', name: 'My patterns', isCSV: false })
    expect(pattern.data.searchTerms).toEqual(['\\d{3,5}', '[a,b]c', 'x,y'])
    for (const [id, names] of [
      ['one', ['disallowedSentences']],
      ['two', ['disallowedSentences', 'disallowedSentences']],
      ['three', ['disallowedSentences[]']],
    ] as const) {
      const sentences = await sendForm('POST', 'keywords', [
        ['id', `sentences-${id}`],
        ['category', 'sentence-similarity'],
        ...names.map((name): [string, string] => [name, 'Send me money, please.']),
      ])
      expect(sentences.data.searchTerms).toHaveLength(names.length)
    }
  })

  test.each<[string, string, [string, string | File][]]>([
    ['no category', 'category', [['id', 'x']]],
    ['an unknown category', 'category', [['category', 'toxicity']]],
    ['no terms', 'searchTerms', [['category', 'word']]],
    [
      'a broken pattern',
      'searchTerms',
      [
        ['category', 'pattern'],
        ['searchTerms', 'a('],
      ],
    ],
    [
      'a file that is no text',
      'file',
      [
        ['category', 'word'],
        ['file', csv(new Uint8Array([255]))],
      ],
    ],
    [
      'a file over 1 MB',
      'file',
      [
        ['category', 'word'],
        ['file', csv('ab,'.repeat(333_335))],
      ],
    ],
    [
      'more than 20,000 terms',
      'file',
      [
        ['category', 'word'],
        ['file', csv(numbers(20_001))],
      ],
    ],
    [
      'a word of 201 characters',
      'searchTerms',
      [
        ['category', 'word'],
        ['searchTerms', 'x'.repeat(201)],
      ],
    ],
    [
      'NUL',
      'searchTerms',
      [
        ['category', 'word'],
        ['searchTerms', 'a\0b'],
      ],
    ],
  ])('refuses a form with %s', async (_, field, fields) => {
    const refusal = await sendForm('POST', 'keywords', [['id', 'wrong'], ...fields])
    expect(refusal).toMatchObject({
      status: 400,
      error: { code: 'ERR_BAD_REQUEST', details: { [field]: [expect.any(String)] } },
    })
  })

  test('refuses a form that is none', async () => {
    const send = async (path: string) => {
      const response = await fetch(`${app.origin}/v3/${path}`, {
        method: 'POST',
        headers: {
          appId: app.appId,
          apikey: app.keys.full,
          'content-type': 'multipart/form-data; boundary=x',
        },
        body: 'no form',
      })
      return (await response.json()).error.details
    }
    expect(await send('moderation/keywords')).toEqual({ body: [expect.any(String)] })
    expect(await send('roles')).toEqual({ body: [expect.any(String)] })
  })

  test('refuses a taken id, that of the default list included, and a 26th list', async () => {
    await using fresh = await startTestApp({ shadow: false })
    const { createKeywordList: create } = fresh.as('full')
    const body = (id: string) => ({ form: { id, category: 'word', searchTerms: 'a' } }) as const
    for (let n = 0; n < 25; n++) await create(body(`list-${n}`))
    for (const id of ['LIST-3', 'profanity-list']) {
      await expect(create(body(id))).rejects.toMatchObject({
        code: 'ERR_KEYWORD_LIST_ALREADY_EXISTS',
        status: 409,
      })
    }
    await expect(create(body('one-more'))).rejects.toMatchObject({
      code: 'ERR_PLAN_QUOTA_RESTRICTION',
    })
  })
})

test('lists what every app has, then its own, with the number of changes', async () => {
  await using fresh = await startTestApp({ clock: () => now++ })
  const calls = fresh.as('full')
  for (const id of ['b', 'a']) {
    await calls.createKeywordList({ form: { id, category: 'word', searchTerms: id } })
  }
  const params = { keywordId: 'b' }
  await calls.updateKeywordList({ params, form: { category: 'word', name: 'B' } })
  const { data, meta } = await calls.listKeywordLists()
  expect(data.map((list) => [list._id, list.appId, list.__v, list.default])).toEqual([
    ['default_profanity-list_1', 'default', 0, true],
    [`${fresh.appId}_b_2`, fresh.appId, 1, undefined],
    [`${fresh.appId}_a_1`, fresh.appId, 0, undefined],
  ])
  expect(meta).toEqual({ current: { limit: 10, count: 3 } })
  expect((await listKeywordLists({ query: { limit: 1 } })).data).toHaveLength(1)
})

describe('update', () => {
  test('makes the next revision: changes what is given, leaves the rest', async () => {
    const { data: before } = await words('changing', 'a,b')
    const updatedAt = ++now
    const params = { keywordId: 'changing' }
    const { data } = await updateKeywordList({ params, form: { category: 'word', name: 'New' } })
    expect(data).toEqual({
      ...before,
      name: 'New',
      updatedAt,
      revisionId: `${app.appId}_changing_2`,
    })
    const form = await sendForm('PUT', 'keywords/changing', [
      ['category', 'word'],
      ['file', csv('c')],
    ])
    expect(form.data).toMatchObject({ isCSV: true, revisionId: `${app.appId}_changing_3` })
    expect(await termsOf('changing')).toEqual(['c'])
    await expect(
      updateKeywordList({ params: { keywordId: 'nix' }, form: { category: 'word' } }),
    ).rejects.toMatchObject({ code: 'ERR_KEYWORD_LIST_NOT_FOUND', status: 404 })
  })

  test('the default list stays as it is', async () => {
    const params = { keywordId: 'profanity-list' }
    const refusal = { code: 'ERR_OPERATION_FAILED', status: 403 }
    await expect(
      updateKeywordList({ params, form: { category: 'word', searchTerms: 'a' } }),
    ).rejects.toMatchObject(refusal)
    await expect(deleteKeywordList({ params })).rejects.toMatchObject(refusal)
    expect((await getKeywordList({ params })).data).toMatchObject({ default: true, active: true })
  })
})

describe('delete', () => {
  test('removes a list that no rule refers to', async () => {
    await words('used')
    const conditions = [{ isKeywordReferencePresent: true, value: 'used' }]
    await createRule({ body: { id: 'user', enabled: false, conditions } })
    const params = { keywordId: 'used' }
    const refusal = { code: 'ERR_KEYWORD_LIST_IN_USE', status: 409 }
    await expect(deleteKeywordList({ params })).rejects.toMatchObject(refusal)
    const form = { category: 'pattern', searchTerms: 'a' } as const
    await expect(updateKeywordList({ params, form })).rejects.toMatchObject(refusal)
    await updateRule({ params: { ruleId: 'user' }, body: { conditions: [{ value: 'a' }] } })
    expect((await deleteKeywordList({ params })).data.success).toBe(true)
    expect((await app.events()).at(-1)).toEqual({ name: 'keywordList.deleted', payload: params })
    const gone = { code: 'ERR_KEYWORD_LIST_NOT_FOUND', status: 404 }
    await expect(getKeywordList({ params })).rejects.toMatchObject(gone)
    await expect(deleteKeywordList({ params })).rejects.toMatchObject(gone)
    expect((await words('used')).data.revisionId).toBe(`${app.appId}_used_2`)
  })
})

function numbers(count: number): string {
  return Array.from({ length: count }, (_, n) => n).join(',')
}
