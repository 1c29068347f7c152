import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { portableEngine } from '../engine/patterns.ts'
import { openCompiler } from './compiler.ts'
import { openRuleSets } from './rule-sets.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { createRule, updateRule, deleteRule, createKeywordList, updateKeywordList } = app.as('full')
const { appId, db } = app

/** As every call reads it with its app. */
async function identity() {
  const { rows } = await sql<{ version: number }>`
    select moderation_version as version from apps where app_id = ${appId}`.execute(db)
  return { appId, region: 'us', settings: {}, moderationVersion: rows[0]?.version ?? -1 } as const
}

/** What one process thinks of a text. */
function process() {
  const sets = openRuleSets(openCompiler(portableEngine))
  const setNow = async () => sets.of(await identity(), { appId, db })
  return {
    setNow,
    async caughtBy(text: string) {
      const findings = (await setNow())?.examine({ text }) ?? []
      return findings.map(({ rule }) => rule.revisionId)
    },
  }
}

const spam = [{ value: 'spam' }]
const list = { category: 'word' } as const

test('an app without rules of its own asks the database for nothing', async () => {
  const { moderationVersion } = await identity()
  expect(moderationVersion).toBe(0)
  const nowhere = { appId, db: undefined as never }
  expect(
    await openRuleSets(openCompiler(portableEngine)).of(await identity(), nowhere),
  ).toBeUndefined()
})

test('a change is in force with the next call, in every process', async () => {
  const [one, other] = [process(), process()]
  const both = async (text: string) => {
    const [first, second] = [await one.caughtBy(text), await other.caughtBy(text)]
    expect(second).toEqual(first)
    return first
  }
  expect(await both('spam')).toEqual([])
  await createRule({ body: { id: 'no-spam', conditions: spam } })
  expect(await both('spam')).toEqual([`${appId}_no-spam_1`])
  const params = { ruleId: 'no-spam' }
  await updateRule({ params, body: { enabled: false } })
  expect(await both('spam')).toEqual([])
  await createKeywordList({ form: { id: 'bad', ...list, searchTerms: 'ham' } })
  const conditions = [{ isListReferencePresent: true, value: 'bad' }]
  await updateRule({ params, body: { enabled: true, conditions } })
  expect(await both('spam ham')).toEqual([`${appId}_no-spam_3`])
  await updateKeywordList({ params: { keywordId: 'bad' }, form: { ...list, searchTerms: 'jam' } })
  expect(await both('ham')).toEqual([])
  expect(await both('jam')).toEqual([`${appId}_no-spam_3`])
  await updateRule({ params: { ruleId: 'text-profanity-filter' }, body: { enabled: true } })
  await deleteRule({ params })
  expect(await both('jam')).toEqual([])
  expect(await both('f u c k this')).toEqual([`${appId}_text-profanity-filter_2`])
})

test.each([
  ['email_filter', 'write to ada@example.org please', 'an @ alone, and a.b'],
  ['contact_details_filter', 'call +49 (151) 123-45 67 now', 'room 1234, at 10:30, 2026-11-15'],
  ['contact_details_filter', 'find me on t.me/ada', 'a letter to me/you'],
  ['text-profanity-filter', 'what a $HIT', 'Scunthorpe, shitake'],
])('the default rule %s catches "%s"', async (ruleId, caught, harmless) => {
  await updateRule({ params: { ruleId }, body: { enabled: true } })
  const { caughtBy } = process()
  expect((await caughtBy(caught)).map((id) => id.split('_').slice(1, -1).join('_'))).toContain(
    ruleId,
  )
  expect(await caughtBy(harmless)).toEqual([])
})

test('a set is compiled once for all calls of a moment, and stays as it is', async () => {
  await createRule({ body: { id: 'lasting', conditions: [{ value: 'lasting' }] } })
  const { setNow } = process()
  const [before, same] = await Promise.all([setNow(), setNow()])
  expect(before).toBe(same)
  expect(await setNow()).toBe(before)
  await updateRule({ params: { ruleId: 'lasting' }, body: { conditions: spam } })
  expect(await setNow()).not.toBe(before)
  expect(before?.examine({ text: 'lasting' }).map(({ rule }) => rule.id)).toEqual(['lasting'])
})

test('a set that could not be loaded is loaded by the next call', async () => {
  const sets = openRuleSets(openCompiler(portableEngine))
  const here = await identity()
  const closed = { appId, db: undefined as never }
  await expect(sets.of(here, closed)).rejects.toThrow()
  expect(await sets.of(here, { appId, db })).toBeDefined()
})
