import { randomBytes } from 'node:crypto'
import { connectNow } from '../packages/server/src/bus/bus.ts'
import { openEventStream } from '../packages/server/src/bus/event-stream.ts'
import { bucketOf } from '../packages/server/src/database/buckets.ts'
import { type Database, openDatabase } from '../packages/server/src/database/pool.ts'
import { openAppendBatcher } from '../packages/server/src/domain/log/index.ts'
import { openLog } from '../packages/server/src/main/log.ts'
import { openClearing } from '../packages/server/src/outbox/clearing.ts'
import { openPublisher } from '../packages/server/src/outbox/publish.ts'
import { deleteStreams } from '../packages/testing/src/engines/event-streams.ts'
import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import { bareAppend, violations } from './harness/bare-append.ts'
import type { Bench } from './harness/context.ts'
import { text } from './harness/conversations.ts'
import { median, percentile, rounded } from './harness/figures.ts'
import { pgbench } from './harness/pgbench.ts'

const conversations = 10_000
const inFlight = 128
const rounds = 3
const seconds = 5
const appId = 'bench0000000'
const data = JSON.stringify({ text })

export const bench: Bench = {
  name: 'append',
  summary: 'the append batcher in this process against bare pgbench on the same tables',
  async run(ctx) {
    const scratch = await ctx.freshDatabase()
    await load(scratch)
    const places = { scratch, natsUrl: ctx.services.natsUrl }
    const spread = await compare(ctx.say, places, 'many conversations', () => random(conversations))
    const prepared = await compare(ctx.say, places, 'one conversation', () => 1)
    const broken = await violations(scratch.query)
    return {
      tables: [
        { title: 'Messages a second, median of the rounds', rows: [spread.row, prepared.row] },
      ],
      goals: [
        { what: 'batcher against bare, many conversations', value: spread.ratio, atLeast: 2.2 },
        { what: 'batcher against bare, one conversation', value: prepared.ratio, atLeast: 6 },
        { what: 'published against not, many conversations', value: spread.kept, atLeast: 0.73 },
        { what: 'holes in seq or ids out of order', value: broken, atMost: 0 },
      ],
      notes: [
        `${rounds} rounds of ${seconds} s each way, in turns; ${inFlight} in flight, one batcher; bare: 16 clients.`,
        'The batcher writes head, entry, own-count and receipt; bare writes head and entry.',
        'Published: each batch also goes to JetStream, and its receipt is cleared; batches that were stored count.',
      ],
      figures: {
        ratio: spread.ratio,
        kept: spread.kept,
        preparedRatio: prepared.ratio,
        rounds: spread.rounds,
      },
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
  { scratch: { url }, natsUrl }: { scratch: ScratchDatabase; natsUrl: string },
  name: string,
  pick: () => number,
) {
  const script = bareAppend(
    appId,
    name === 'one conversation' ? '1' : `random(1, ${conversations})`,
  )
  const results: {
    bare: number
    batcher: number
    published: number
    p99Ms: number
    ratio: number
  }[] = []
  for (let round = 1; round <= rounds; round++) {
    const before = await pgbench(url, script, { clients: 16, seconds })
    const batcher = await throughBatcher(url, pick)
    const { batcher: published } = await throughBatcher(url, pick, natsUrl)
    const after = await pgbench(url, script, { clients: 16, seconds })
    const bareTps = (before + after) / 2
    results.push({ bare: bareTps, ...batcher, published, ratio: batcher.batcher / bareTps })
    const figures = [bareTps, batcher.batcher, published].map((figure) => rounded(figure, 0))
    say(`${name}, round ${round}: bare, batcher, published ${figures.join(', ')}`)
  }
  const middle = (read: (result: (typeof results)[number]) => number) => median(results.map(read))
  const ratio = rounded(middle(({ ratio }) => ratio))
  const kept = rounded(middle(({ batcher, published }) => published / batcher))
  return {
    ratio,
    kept,
    rounds: results.map(({ ratio }) => rounded(ratio)),
    row: {
      Where: name,
      bare: rounded(
        middle(({ bare }) => bare),
        0,
      ),
      batcher: rounded(
        middle(({ batcher }) => batcher),
        0,
      ),
      published: rounded(
        middle(({ published }) => published),
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

/** With a NATS, what is committed is also published. */
async function throughBatcher(url: string, pick: () => number, natsUrl?: string) {
  await using database = openDatabase({
    url,
    poolSize: 3,
    statementTimeoutMs: 10_000,
    onIdleError: (error) => {
      throw error
    },
  })
  await using publishing =
    natsUrl === undefined ? undefined : await openPublishing(natsUrl, database)
  const batcher = openAppendBatcher(database.db, () => 1_700_000_000, publishing)
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < end) {
      const key = pick()
      const start = performance.now()
      await batcher.add({
        bucket: bucketOf(key),
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
  if (publishing?.behind) throw new Error('NATS did not keep up.')
  return { batcher: waits.length / seconds, p99Ms: percentile(waits, 0.99) }
}

async function openPublishing(natsUrl: string, { db }: Database) {
  await using stack = new AsyncDisposableStack()
  const prefix = `bench-${randomBytes(4).toString('hex')}`
  stack.defer(() => deleteStreams(natsUrl, prefix))
  const log = openLog('silent')
  const bus = stack.use(await connectNow(natsUrl))
  const stream = openEventStream(bus, { prefix, hours: 1, replicas: 1 })
  await stream.open()
  const clearing = stack.use(openClearing(db, log))
  const publisher = stack.use(openPublisher(stream, clearing, log))
  const owned = stack.move()
  return {
    onCommit: publisher.onCommit,
    get behind() {
      return publisher.behind
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function random(most: number): number {
  return 1 + Math.floor(Math.random() * most)
}
