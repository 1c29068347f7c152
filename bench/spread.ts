import type { Bench, BenchContext } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { historyScript } from './harness/history.ts'
import { sendScript } from './harness/sends.ts'
import {
  type Call,
  type Costs,
  compareSizes,
  type Install,
  ratioOf,
  rowsOf,
  type Size,
} from './harness/two-sizes.ts'

const maxRatio = 1.2

interface Numbers {
  readonly apps: number
  /** Of two users each, in all apps together. */
  readonly conversations: number
}

interface Comparison {
  readonly sizes: Readonly<Record<Size, Numbers>>
  readonly messages: number
  /** Enough that the service has met nearly all of whom it will meet. */
  readonly warmUp: number
  nameOf(numbers: Numbers): string
}

const comparisons: readonly Comparison[] = [
  {
    sizes: {
      small: { apps: 1, conversations: 10_000 },
      large: { apps: 200, conversations: 10_000 },
    },
    messages: 1_000_000,
    warmUp: 60_000,
    nameOf: ({ apps }) => (apps === 1 ? 'one app' : `${apps} apps`),
  },
  {
    sizes: {
      small: { apps: 1, conversations: 1_000 },
      large: { apps: 1, conversations: 100_000 },
    },
    messages: 3_200_000,
    warmUp: 300_000,
    nameOf: ({ conversations }) => `${conversations} conversations`,
  },
]

export const bench: Bench = {
  name: 'spread',
  summary:
    'sends and pages over 200 apps against one, and over 100,000 conversations against 1,000',
  async run(ctx) {
    const { rounds = 3, seconds = 10 } = ctx.options
    const rows: ReturnType<typeof rowsOf> = []
    const ratios: { readonly what: string; readonly value: number }[] = []
    for (const { sizes, nameOf, ...comparison } of comparisons) {
      const messages = ctx.options.rows ?? comparison.messages
      const [small, large] = [nameOf(sizes.small), nameOf(sizes.large)]
      const installs = {
        small: await prepare(ctx, sizes.small, messages),
        large: await prepare(ctx, sizes.large, messages),
      }
      const { warmUp } = comparison
      const measured = await compareSizes(installs, { rounds, seconds, warmUp, say: ctx.say })
      rows.push(...rowsOf(measured, { small, large }))
      for (const call of ['send', 'history'] as const) {
        ratios.push({ what: `${call}, CPU, ${large} / ${small}`, value: cpuRatio(measured, call) })
      }
    }
    return {
      tables: [
        { title: `Median of ${rounds} rounds of ${seconds} s, in turns; µs of CPU a call`, rows },
      ],
      goals: ratios.map((ratio) => ({ ...ratio, atMost: maxRatio })),
      notes: [
        'Both of a pair have the same number of messages stored. CPU: service and PostgreSQL.',
      ],
      figures: { ratio: Math.max(...ratios.map(({ value }) => value)), ratios },
    }
  },
}

function cpuRatio(measured: Readonly<Record<Call, Costs>>, call: Call): number {
  return ratioOf(measured[call], ({ cpu }) => cpu.server + cpu.postgres)
}

async function prepare(ctx: BenchContext, numbers: Numbers, messages: number): Promise<Install> {
  const database = await ctx.freshDatabase()
  const names = Array.from({ length: numbers.apps }, (_, nth) => `app-${nth + 1}`)
  const { served, apps } = await ctx.serveApps(database.url, names)
  const appIds = apps.map(({ appId }) => appId)
  const shape = { pairs: numbers.conversations / numbers.apps, groups: 0 }
  ctx.say(`loading ${messages} messages: ${numbers.apps} apps, ${shape.pairs} conversations each`)
  await loadConversations(database.query, appIds, shape)
  await fillEntries(database.url, appIds, messages, { shape })
  const over = { apps, pairs: shape.pairs }
  return {
    database,
    served,
    scripts: {
      send: () => sendScript(served, undefined, over),
      history: () => historyScript(served, 'user', over),
    },
  }
}
