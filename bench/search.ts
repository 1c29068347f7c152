import { type Database, openDatabase } from '../packages/server/src/database/pool.ts'
import {
  type EntrySpan,
  indexEntries,
  type SearchScope,
  searchEntries,
} from '../packages/server/src/domain/messages/search/search.ts'
import { loadGroups } from '../packages/testing/src/data/many-entries.ts'
import type { Query } from '../packages/testing/src/data/many-users.ts'
import type { Bench, BenchContext } from './harness/context.ts'
import { interleaved, median, percentile, rounded } from './harness/figures.ts'
import type { Report, Table } from './harness/report.ts'

// One hall that everybody talks in, the hundred groups of one user, and those of strangers.
const crowds = {
  hall: { groups: 1, members: 10, entries: 100_000 },
  mine: { groups: 100, members: 2, entries: 200 },
  tea: { groups: 2000, members: 2, entries: 140 },
} as const
const total = Object.values(crowds).reduce((sum, { groups, entries }) => sum + groups * entries, 0)
const perBundle = 500
const rounds = 50
const limit = 100
const bytes = 300
/** One message in 20 has the common word, one in 20,000 the rare one. */
const words = { common: 'lantern', rare: 'quixotry', absent: 'zzyzx' } as const

export const bench: Bench = {
  name: 'search',
  summary: `full-text search in ${total} messages: the index, and searches by scope`,
  async run(ctx) {
    const { url, query } = await ctx.freshDatabase()
    const server = await ctx.startServer(url)
    const { appId } = await server.newApp('search')
    ctx.say(`loading ${total} messages of ${bytes} bytes`)
    await load(query, appId)
    await using database = openDatabase({
      url,
      poolSize: 4,
      statementTimeoutMs: 60_000,
      onIdleError: () => undefined,
    })
    const index = await buildIndex(ctx, database, query)
    ctx.say(`searching, ${rounds} rounds each`)
    const searches = await measure(database, query, appId)
    return report(index, searches)
  },
}

/** A vocabulary of 5,000, in which the nth word is about n times rarer than the first. */
const textOf = `(
  select left(string_agg(syllables[1 + rank % 17] || syllables[1 + rank / 17 % 17] ||
                         case when rank % 3 = 0 then '' else syllables[1 + rank * 7 % 17] end ||
                         case when rank > 289 then syllables[1 + rank / 289 % 17] else '' end, ' '),
              ${bytes - 20})
  from (select floor(power(5000, random()))::int as rank, n
        from generate_series(1, 60) as n where place is not null offset 0) as drawn)`

async function load(query: Query, appId: string): Promise<void> {
  for (const [prefix, crowd] of Object.entries(crowds)) {
    await loadGroups(query, appId, { prefix, ...crowd, entries: 0 })
  }
  await query('create temp table sizes (prefix text, entries int)')
  await query('insert into sizes select * from unnest($1::text[], $2::int[])', [
    Object.keys(crowds),
    Object.values(crowds).map(({ entries }) => entries),
  ])
  // All groups talk at the same time, each at its own pace.
  await query(
    `insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts,
                          app_id, sender, category, type, data)
     select bucket, conversation_key, seq, nextval('entry_numbers') * 64 + bucket, 1700000000, seq,
            true, app_id, owner, 'message', 'text',
            json_build_object('text', ${textOf} ||
              case when place % 20 = 3 then ' ${words.common}' else '' end ||
              case when place % 20000 = 7 then ' ${words.rare}' else '' end)
     from (select g.*, seq, row_number() over (order by seq::float / entries, guid) as place
           from groups g join sizes on g.guid like prefix || '-%', generate_series(1, entries) as seq
           where g.app_id = $1 order by place) as placed,
          (select '{ba,ce,di,fo,gu,ha,je,ki,lo,mu,na,pe,ri,so,tu,va,ze}'::text[] as syllables) as s`,
    [appId],
  )
  await query('vacuum (analyze) groups, participants, entries')
}

interface Indexed {
  readonly secondsPer100k: number
  readonly bytesPerMessage: Readonly<Record<string, number>>
}

async function buildIndex(ctx: BenchContext, { db }: Database, query: Query): Promise<Indexed> {
  const places = (await query(
    'select bucket, conversation_key as key, seq as "firstSeq", seq as "lastSeq" from entries order by id',
  )) as EntrySpan[]
  ctx.say('indexing')
  const start = performance.now()
  for (let from = 0; from < places.length; from += perBundle) {
    await indexEntries(db, places.slice(from, from + perBundle))
  }
  const seconds = (performance.now() - start) / 1000
  await query('vacuum (analyze) entry_words')
  const sizes = (await query(
    `select case when c.relkind = 'r' then 'rows' when c.relname like '%words_idx' then 'words'
                 when c.relname like '%pkey' then 'key' else 'by id' end as part,
            sum(pg_relation_size(c.oid))::bigint as bytes
     from pg_class c where c.relname like 'entry_words_%' and c.relkind in ('r', 'i')
     group by 1 order by 1`,
  )) as { part: string; bytes: number }[]
  return {
    secondsPer100k: rounded((seconds / places.length) * 100_000),
    bytesPerMessage: Object.fromEntries(
      sizes.map(({ part, bytes }) => [part, rounded(Number(bytes) / places.length, 0)]),
    ),
  }
}

type Times = Readonly<Record<string, readonly number[]>>

async function measure({ db }: Database, query: Query, appId: string): Promise<Times> {
  const conversation = async (guid: string): Promise<SearchScope> => {
    const [found] = (await query(
      'select bucket, conversation_key as key from groups where app_id = $1 and guid = $2',
      [appId, guid],
    )) as { bucket: number; key: number }[]
    if (!found) throw new Error(`There is no group ${guid}.`)
    return { kind: 'conversation', ...found, resetSeq: 0 }
  }
  const scopes: Readonly<Record<string, SearchScope>> = {
    'conversation of 100,000': await conversation('hall-1'),
    'conversation of 140': await conversation('tea-7'),
    'user in 100 groups': { kind: 'user', uid: 'mine-1' },
    'user in 2,000 groups': { kind: 'user', uid: 'tea-1' },
    'whole app': { kind: 'app' },
  }
  const ways = Object.entries(scopes).flatMap(([where, scope]) =>
    Object.entries(words).map(([how, word]) => [
      `${where}, ${how}`,
      () => searchEntries({ appId, db }, word, scope, { limit }),
    ]),
  )
  return interleaved(rounds, Object.fromEntries(ways))
}

function report({ secondsPer100k, bytesPerMessage }: Indexed, times: Times): Report {
  const bytesInAll = Object.values(bytesPerMessage).reduce((sum, part) => sum + part, 0)
  const ratio = (large: string, small: string, atMost: number) => ({
    what: `${large} / ${small}`,
    value: rounded(median(times[large] ?? []) / median(times[small] ?? [])),
    atMost,
  })
  const searches: Table = {
    title: `First page of ${limit} (median of ${rounds})`,
    rows: Object.entries(times).map(([search, taken]) => ({
      search,
      ms: rounded(median(taken)),
      'p95 ms': rounded(percentile(taken, 0.95)),
    })),
  }
  return {
    tables: [
      { title: 'Bytes of index per message', rows: [{ of: 'all', ...bytesPerMessage }] },
      { title: 'Indexing', rows: [{ of: '100,000 messages', seconds: secondsPer100k }] },
      searches,
    ],
    goals: [
      { what: 'bytes of index per message', value: bytesInAll, atMost: 1000 },
      ratio('conversation of 100,000, rare', 'conversation of 140, rare', 20),
      ratio('user in 2,000 groups, rare', 'user in 100 groups, rare', 10),
    ],
    notes: [`${total} messages of about ${bytes} bytes; without HTTP.`],
  }
}
