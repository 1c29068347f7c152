import { startPgBouncer } from '../tools/services/pgbouncer.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { median, rounded } from './harness/figures.ts'
import { historyScript } from './harness/history.ts'
import { sendScript } from './harness/sends.ts'
import type { Settings } from './harness/serving.ts'
import { wrk } from './harness/wrk.ts'

const connections = 64

const loads = {
  sends: (served: Served) => sendScript(served),
  pages: (served: Served) => historyScript(served, 'user'),
}

export const bench: Bench = {
  name: 'pooler',
  summary: 'sends and pages through PgBouncer in transaction mode against PostgreSQL itself',
  async run(ctx) {
    const { rows = 200_000, rounds = 3, seconds = 10 } = ctx.options
    await using pooler = await startPgBouncer(ctx.services.databaseUrl)
    const direct = await serve(ctx, rows, () => ({}))
    const pooled = await serve(ctx, rows, (url) => ({
      DATABASE_URL: pooler.through(url),
      DATABASE_SESSION_URL: url,
      DATABASE_POOLER: 'transaction',
    }))
    const table = []
    for (const [load, script] of Object.entries(loads)) {
      const perSecond = async (served: Served) =>
        (await wrk(served.origin, script(served), { connections, seconds })).perSecond
      // Each has compiled and planned what it runs before it counts.
      for (const served of [direct, pooled]) await perSecond(served)
      const figures = { direct: [] as number[], pooled: [] as number[] }
      for (let round = 1; round <= rounds; round++) {
        figures.direct.push(await perSecond(direct))
        figures.pooled.push(await perSecond(pooled))
        ctx.say(`${load}, round ${round} of ${rounds}`)
      }
      const [alone, through] = [median(figures.direct), median(figures.pooled)]
      table.push({
        Load: load,
        direct: rounded(alone, 0),
        PgBouncer: rounded(through, 0),
        ratio: rounded(through / alone, 2),
      })
    }
    return {
      tables: [{ title: 'Requests a second, median of the rounds', rows: table }],
      goals: [],
      notes: [
        `${rounds} rounds of ${seconds} s each way, in turns; wrk: ${connections} connections.`,
      ],
      figures: { loads: table },
    }
  },
}

async function serve(
  ctx: BenchContext,
  rows: number,
  settings: (url: string) => Settings,
): Promise<Served> {
  const database = await ctx.freshDatabase()
  const served = await ctx.serve(database.url, 'api', settings(database.url))
  await loadConversations(database.query, [served.appId])
  await fillEntries(database.url, [served.appId], rows)
  return served
}
