import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import {
  loadGroups,
  settleEntries,
  withQuery,
} from '../../../../../testing/src/data/many-entries.ts'
import { objectionsTo, openExplainer } from '../../../../../testing/src/data/plans.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import type { Db } from '../../../database/db.ts'
import type { EntryRef } from '../../../outbox/events.ts'
import { indexEntries, type SearchScope, searchEntries } from './search.ts'

const app = await startTestApp({ shadow: false })
const explainer = await openExplainer(app.databaseUrl)
afterAll(async () => {
  await explainer[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { db, appId } = app

// Every message says `Message number n`, n being its seq.
await withQuery(app.databaseUrl, async (query) => {
  await loadGroups(query, appId, { prefix: 'tea', groups: 200, members: 2, entries: 20 })
  await loadGroups(query, appId, { prefix: 'hall', groups: 1, members: 2, entries: 21_000 })
  await settleEntries(query)
})
const { rows: log } = await sql<EntryRef>`
  select bucket, conversation_key as key, seq, id from entries order by id desc`.execute(db)
for (let from = 0; from < log.length; from += 1000) {
  const some = log.slice(from, from + 1000)
  const spans = some.map(({ seq, ...place }) => ({ ...place, firstSeq: seq, lastSeq: seq }))
  await indexEntries(db, spans)
}
await withQuery(app.databaseUrl, (query) => query('vacuum (analyze) entry_words'))

const hall = log.find(({ seq }) => seq === 21_000)
if (!hall) throw new Error('The hall is empty.')
// A table of few pages is rightly read from end to end; here these two have many.
const largeTables = new RegExp(`entr(?:ies|y_words)_${hall.bucket % 16}\\b`)
const inHall = ({ key }: EntryRef) => key === hall.key
const scopes: Readonly<Record<string, [SearchScope, (place: EntryRef) => boolean]>> = {
  conversation: [{ kind: 'conversation', bucket: hall.bucket, key: hall.key, resetSeq: 0 }, inHall],
  'conversation after a reset': [
    { kind: 'conversation', bucket: hall.bucket, key: hall.key, resetSeq: 1205 },
    (place) => inHall(place) && place.seq > 1205,
  ],
  'user of the hall': [{ kind: 'user', uid: 'hall-1' }, inHall],
  'user of many groups': [{ kind: 'user', uid: 'tea-1' }, (place) => !inHall(place)],
  app: [{ kind: 'app' }, () => true],
}

/** Pages until there is no next one; none may be longer than asked for. */
async function pagesOf(text: string, scope: SearchScope, limit: number): Promise<number[][]> {
  const pages: number[][] = []
  let before: number | undefined
  do {
    const { places, next } = await searchEntries({ appId, db }, text, scope, { before, limit })
    expect(places.length).toBeLessThanOrEqual(limit)
    pages.push(places.map(({ id }) => id))
    before = next
  } while (before !== undefined)
  return pages
}

describe.each(Object.entries(scopes))('%s', (_, [scope, visible]) => {
  // Rare, in the middle of the log, at its beginning, everywhere.
  test.each([
    ['20999', 10],
    ['12', 97],
    ['number 7', 10],
    ['message 2', 1000],
    ['messag', 999],
  ])('every result of %s is on exactly one page of %i, newest first', async (text, limit) => {
    const number = /\d+$/.exec(text)?.[0] ?? ''
    const said = ({ seq }: EntryRef) =>
      number.length === 1 ? String(seq) === number : String(seq).startsWith(number)
    const expected = log.filter((place) => visible(place) && said(place)).map(({ id }) => id)
    expect((await pagesOf(text, scope, limit)).flat()).toEqual(expected)
  })

  test('both ends of the ids are kept out', async () => {
    const ids = log.filter(visible).map(({ id }) => id)
    const range = { before: ids[10], after: ids[20], limit: 100 }
    const { places } = await searchEntries({ appId, db }, 'number', scope, range)
    expect(places.map(({ id }) => id)).toEqual(ids.slice(11, 20))
  })
})

test('a page that found nothing in its reach says where to go on', async () => {
  const pages = await pagesOf('numbers', { kind: 'app' }, 10)
  expect(pages).toEqual([[], []])
})

/** What the statements of a search do that they must not. */
async function objections(text: string, scope: SearchScope, first: string[] = []) {
  const search = (trx: Db) => searchEntries({ appId, db: trx }, text, scope, { limit: 100 })
  const plans = await explainer.plansOf(search, first)
  const partitions = scope.kind === 'conversation' ? 'one' : 'many'
  return plans
    .flatMap((plan) => objectionsTo(plan, { partitions }))
    .filter((objection) => largeTables.test(objection) || objection.includes('partitions'))
}

test.each(['12', 'message', '20999', 'nowhere'])('searching for %s reads indexes', async (text) => {
  for (const [name, [scope]] of Object.entries(scopes)) {
    expect({ name, objections: await objections(text, scope) }).toEqual({ name, objections: [] })
  }
})

test('a search that loses its index is noticed', async () => {
  for (const index of ['entry_words_by_word', 'entry_words_by_id']) {
    expect(await objections('12', { kind: 'app' }, [`drop index ${index}`])).not.toEqual([])
  }
})
