import { openDatabase } from '../packages/server/src/database/pool.ts'
import { openAppendLane } from '../packages/server/src/domain/conversations/index.ts'
import type { ScratchDatabase } from '../packages/server/src/testing/scratch-database.ts'
import type { Bench } from './harness/context.ts'
import { median, percentile, rounded } from './harness/figures.ts'
import { pgbench } from './harness/pgbench.ts'

const conversations = 10_000
const inFlight = 128
const rounds = 3
const seconds = 5
const appId = 'bench0000000'
const text = 'x'.repeat(285)
const data = JSON.stringify({ text })

/**
 * Bare: one transaction per message moves the head and inserts the entry, and does nothing else.
 * Planned once per connection (see `pgbench`), which is the best that it can do here.
 */
const bare = (conversation: string) => `
\\set c ${conversation}
\\set b :c % 64
with moved as (
  update conversations
  set head = head + 1, counted = counted + 1, shown_seq = head + 1, updated_at = 1
  where bucket = :b and conversation_key = :c
  returning bucket, conversation_key, head, counted)
insert into entries (bucket, conversation_key, seq, id, sent_at, counted, updated_at, counts,
                     app_id, sender, category, type, muid, data)
select bucket, conversation_key, head, nextval('entry_numbers') * 64 + bucket, 1, counted, 1, true,
       '${appId}', 'user1', 'message', 'text', gen_random_uuid()::text, '${data}'::jsonb
from moved;
`

export const bench: Bench = {
  name: 'append',
  summary: 'the append lane in this process against bare pgbench on the same tables',
  async run(ctx) {
    const scratch = await ctx.freshDatabase()
    await load(scratch)
    const spread = await compare(ctx.say, scratch, 'many conversations', () =>
      random(conversations),
    )
    const hot = await compare(ctx.say, scratch, 'one conversation', () => 1)
    const broken = await violations(scratch)
    return {
      tables: [{ title: 'Messages a second, median of the rounds', rows: [spread.row, hot.row] }],
      goals: [
        { what: 'lane against bare, many conversations', value: spread.ratio, atLeast: 2.2 },
        { what: 'lane against bare, one conversation', value: hot.ratio, atLeast: 6 },
        { what: 'holes in seq or ids out of order', value: broken, atMost: 0 },
      ],
      notes: [
        `${rounds} rounds of ${seconds} s each way, in turns; ${inFlight} in flight, 2 lanes; bare: 16 clients.`,
        'The lane writes head, entry, own-count and receipt; bare writes head and entry.',
      ],
      figures: { ratio: spread.ratio, hotRatio: hot.ratio, rounds: spread.rounds },
    }
  },
}

async function load({ query }: ScratchDatabase): Promise<void> {
  await query(`
    insert into conversations (bucket, conversation_key, app_id, created_at, updated_at)
    select i % 64, i, '${appId}', 1, 1 from generate_series(1, ${conversations}) i`)
  await query(`
    insert into participants (bucket, conversation_key, uid, app_id)
    select i % 64, i, 'user' || j, '${appId}'
    from generate_series(1, ${conversations}) i, generate_series(1, 2) j`)
  await query('vacuum analyze conversations')
  await query('vacuum analyze participants')
}

async function compare(
  say: (line: string) => void,
  { url }: ScratchDatabase,
  name: string,
  pick: () => number,
) {
  const script = bare(name === 'one conversation' ? '1' : `random(1, ${conversations})`)
  const results: { bare: number; lane: number; p99Ms: number; ratio: number }[] = []
  for (let round = 1; round <= rounds; round++) {
    const before = await pgbench(url, script, { clients: 16, seconds })
    const lane = await throughLane(url, pick)
    const after = await pgbench(url, script, { clients: 16, seconds })
    const bareTps = (before + after) / 2
    results.push({ bare: bareTps, ...lane, ratio: lane.lane / bareTps })
    say(`${name}, round ${round}: bare ${rounded(bareTps, 0)}, lane ${rounded(lane.lane, 0)}`)
  }
  const middle = (read: (result: (typeof results)[number]) => number) => median(results.map(read))
  const ratio = rounded(middle(({ ratio }) => ratio))
  return {
    ratio,
    rounds: results.map(({ ratio }) => rounded(ratio)),
    row: {
      Where: name,
      bare: rounded(
        middle(({ bare }) => bare),
        0,
      ),
      lane: rounded(
        middle(({ lane }) => lane),
        0,
      ),
      'p99 ms': rounded(
        middle(({ p99Ms }) => p99Ms),
        1,
      ),
      ratio,
    },
  }
}

async function throughLane(url: string, pick: () => number) {
  await using database = openDatabase({
    url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    onIdleError: (error) => {
      throw error
    },
  })
  const lane = openAppendLane(database.db, () => 1_700_000_000)
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < end) {
      const key = pick()
      const start = performance.now()
      await lane.add({
        bucket: key % 64,
        key,
        appId,
        sender: `user${1 + (waits.length % 2)}`,
        muid: crypto.randomUUID(),
        category: 'message',
        type: 'text',
        data,
        counts: true,
        shows: true,
      })
      waits.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, client))
  return { lane: waits.length / seconds, p99Ms: percentile(waits, 0.99) }
}

/** The promise behind the figures: after all rounds, every log is dense and ids grow with it. */
async function violations({ query }: ScratchDatabase): Promise<number> {
  const rows = await query(`
    select count(*)::int as n from (
      select seq - lag(seq, 1, 0::bigint) over log as step,
             id - lag(id, 1, 0::bigint) over log as growth
      from entries window log as (partition by bucket, conversation_key order by seq)) as steps
    where step <> 1 or growth <= 0`)
  // One row with one number, as the statement says.
  return (rows as [{ n: number }])[0].n
}

function random(most: number): number {
  return 1 + Math.floor(Math.random() * most)
}
