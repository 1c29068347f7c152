import {
  nativeEngine,
  type PatternEngine,
  portableEngine,
} from '../packages/server/src/domain/rules/engine/patterns.ts'
import { ruleSetOf } from '../packages/server/src/domain/rules/engine/rule-set.ts'
import { seeded } from '../packages/testing/src/seeded.ts'
import type { Bench } from './harness/context.ts'
import { median, rounded } from './harness/figures.ts'
import { distinctWords, makeText, rulesOf } from './harness/moderated.ts'
import { compareSends, cpuTable } from './harness/moderated-sends.ts'

const ruleCount = 100
const wordCount = 10_000
const bytes = 300
const goals = { re2: 30, re2js: 150 }

export const bench: Bench = {
  name: 'moderation',
  summary: `what ${ruleCount} rules with ${wordCount} words and ${ruleCount / 2} patterns cost a text of ${bytes} bytes, and a send`,
  async run(ctx) {
    const { rounds = 9, rows = 20_000, seconds = 5 } = ctx.options
    const random = seeded('moderation')
    const words = distinctWords(random, wordCount)
    const rules = rulesOf(random, words, ruleCount)
    const texts = Array.from({ length: 1000 }, () => makeText(random, words, bytes))
    const native = await nativeEngine()
    const measured = [native, portableEngine]
      .filter((engine) => engine !== undefined)
      .map((engine) => measure(engine, { rules, texts, rounds, rows }))
    for (const { row } of measured) ctx.say(`${row.Engine}: ${row.µs} µs`)
    const set = ruleSetOf(rules, new Map(), native ?? portableEngine)
    // What is caught goes another way, which is not what is compared.
    const harmless = texts.filter((text) => set.examine({ text }).length === 0)
    const sends = await compareSends(ctx, { rules, texts: harmless, rounds, seconds })
    return {
      tables: [
        { title: 'CPU in µs a text, of all rounds', rows: measured.map(({ row }) => row) },
        cpuTable(sends),
      ],
      goals: [
        ...measured.map(({ name, us }) => ({
          what: `CPU µs a text, patterns with ${name}`,
          value: us,
          atMost: goals[name],
        })),
        { what: 'sends with rules against sends without', value: sends.ratio, atLeast: 0.9 },
      ],
      notes: [
        `${rounds} rounds of ${rows} texts; of 1,000 different texts, one in twenty has a word that is looked for.`,
        `Sends of what no rule catches: ${rounds} rounds of ${seconds} s, in turns, with ${native ? 're2' : 're2js'}.`,
        ...(native ? [] : ['The package re2 is not built here: only its portable sibling ran.']),
      ],
      figures: {
        ratio: sends.ratio,
        ...Object.fromEntries(measured.map(({ name, us }) => [name, us])),
      },
    }
  },
}

interface Load {
  readonly rules: Parameters<typeof ruleSetOf>[0]
  readonly texts: readonly string[]
  readonly rounds: number
  readonly rows: number
}

function measure(engine: PatternEngine, { rules, texts, rounds, rows }: Load) {
  const started = process.cpuUsage()
  const set = ruleSetOf(rules, new Map(), engine)
  const compileMs = cpuUs(started) / 1000
  const caught = texts.filter((text) => set.examine({ text }).length > 0).length
  const each: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let row = 0; row < rows; row++) set.examine({ text: texts[row % texts.length] ?? '' })
    each.push(cpuUs(before) / rows)
  }
  const us = rounded(median(each), 1)
  return {
    name: engine.name,
    us,
    row: {
      Engine: engine.name,
      µs: us,
      'fastest round': rounded(Math.min(...each), 1),
      'slowest round': rounded(Math.max(...each), 1),
      'compile ms': rounded(compileMs, 0),
      'texts caught': caught,
    },
  }
}

function cpuUs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}
