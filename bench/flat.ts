import type { Bench, BenchContext } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { historyScript } from './harness/history.ts'
import { sendScript } from './harness/sends.ts'
import { type Costs, compareSizes, type Install, ratioOf, rowsOf } from './harness/two-sizes.ts'

const smallRows = 100_000
const maxRatio = 1.3

export const bench: Bench = {
  name: 'flat',
  summary: 'a send and a page of history with 5 million messages stored against 100,000',
  async run(ctx) {
    const { rows = 5_000_000, rounds = 3, seconds = 10 } = ctx.options
    const installs = { small: await prepare(ctx, smallRows), large: await prepare(ctx, rows) }
    const measured = await compareSizes(installs, { rounds, seconds, say: ctx.say })
    const ofPostgres = (costs: Costs) => ratioOf(costs, ({ cpu }) => cpu.postgres)
    const throughput = (costs: Costs) => ratioOf(costs, ({ perSecond }) => perSecond)
    return {
      tables: [
        {
          title: `Median of ${rounds} rounds of ${seconds} s, in turns; µs of CPU a call`,
          rows: rowsOf(measured, { small: `${smallRows} messages`, large: `${rows} messages` }),
        },
      ],
      goals: (['send', 'history'] as const).map((call) => ({
        what: `${call}, CPU of PostgreSQL, large / small`,
        value: ofPostgres(measured[call]),
        atMost: maxRatio,
      })),
      notes: [`Small: ${smallRows} messages, large: ${rows}, in the same number of conversations.`],
      figures: {
        ratio: ofPostgres(measured.send),
        historyRatio: ofPostgres(measured.history),
        throughput: { send: throughput(measured.send), history: throughput(measured.history) },
      },
    }
  },
}

async function prepare(ctx: BenchContext, rows: number): Promise<Install> {
  const database = await ctx.freshDatabase()
  const served = await ctx.serve(database.url)
  ctx.say(`loading ${rows} messages`)
  await loadConversations(database.query, [served.appId])
  await fillEntries(database.url, [served.appId], rows)
  const scripts = { send: () => sendScript(served), history: () => historyScript(served, 'user') }
  return { database, served, scripts }
}
