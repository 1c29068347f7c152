import { restClient } from '../../packages/sdk/src/index.ts'
import type { RuleInForce } from '../../packages/server/src/domain/rules/engine/rule-set.ts'
import type { BenchContext, Served } from './context.ts'
import { loadConversations } from './conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './cpu.ts'
import { median, rounded } from './figures.ts'
import type { Table } from './report.ts'
import { sendScript } from './sends.ts'
import { warmUp, wrk } from './wrk.ts'

const connections = 128

interface Comparison {
  /** What is sent in a second under rules, against what is sent without any. */
  readonly ratio: number
  /** Of a send. */
  readonly cpu: Readonly<Record<'ruled' | 'free', Cpu>>
}

interface Load {
  readonly rules: readonly RuleInForce[]
  readonly texts: readonly string[]
  readonly rounds: number
  readonly seconds: number
}

/** Two services of their own take turns: in one of them the app has these rules. */
export async function compareSends(ctx: BenchContext, load: Load): Promise<Comparison> {
  const free = await openSide(ctx, load)
  const ruled = await openSide(ctx, load)
  await makeRules(ruled.served, load.rules)
  ctx.say('warming up')
  await free.warmUp()
  await ruled.warmUp()
  const results: { ratio: number; ruled: Cpu; free: Cpu }[] = []
  for (let round = 1; round <= load.rounds; round++) {
    // Each is the first as often as the other.
    const order = round % 2 === 0 ? [free, ruled] : [ruled, free]
    const sent = new Map<Side, Sent>()
    for (const side of order) sent.set(side, await side.send())
    const [one, other] = [sent.get(ruled), sent.get(free)]
    if (!one || !other) throw new Error('A side did not send.')
    const ratio = one.perSecond / other.perSecond
    results.push({ ratio, ruled: one.cpu, free: other.cpu })
    ctx.say(`round ${round}: with rules ${rounded(one.perSecond, 0)} a second, ${rounded(ratio)}`)
  }
  const middle = (of: 'ruled' | 'free'): Cpu => ({
    server: median(results.map((result) => result[of].server)),
    postgres: median(results.map((result) => result[of].postgres)),
    load: median(results.map((result) => result[of].load)),
  })
  const ratio = rounded(median(results.map((result) => result.ratio)))
  return { ratio, cpu: { ruled: middle('ruled'), free: middle('free') } }
}

export function cpuTable({ cpu }: Comparison): Table {
  return {
    title: 'CPU in µs a send',
    rows: (['ruled', 'free'] as const).map((of) => ({
      App: of === 'ruled' ? 'with the rules' : 'without rules',
      server: rounded(cpu[of].server, 0),
      PostgreSQL: rounded(cpu[of].postgres, 0),
    })),
  }
}

interface Sent {
  readonly perSecond: number
  readonly cpu: Cpu
}

interface Side {
  readonly served: Served
  warmUp(): Promise<void>
  send(): Promise<Sent>
}

async function openSide(ctx: BenchContext, { texts, seconds }: Load): Promise<Side> {
  const { url, query } = await ctx.freshDatabase()
  const served = await ctx.serve(url)
  await loadConversations(query, [served.appId])
  const script = () => sendScript(served, texts)
  return {
    served,
    warmUp: () => warmUp(served.origin, script, connections),
    async send() {
      const { result, cpu } = await cpuDuring(served.pid, query, () =>
        wrk(served.origin, script(), { connections, seconds }),
      )
      return { perSecond: result.perSecond, cpu: cpuOfEach(cpu, result.requests) }
    },
  }
}

async function makeRules({ origin, appId, apiKey }: Served, rules: readonly RuleInForce[]) {
  const client = restClient({ baseUrl: `${origin}/v3`, appId, apiKey })
  for (const { id, conditions } of rules) {
    const spoken = conditions.map(({ category, value }) => ({ category, value }))
    await client.createRule({ body: { id, conditions: spoken } })
  }
}
