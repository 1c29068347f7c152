import type { Bench } from './harness/context.ts'
import { median, percentile, rounded } from './harness/figures.ts'

const pageBytes = 4096
const pages = 100_000
/** A pass that takes so many times the usual one is slow. */
const slow = 3

/**
 * How steady the machine is, with nothing of ours running. Every percentile of the other benches
 * stands on this: where memory is slow for 2% of the time, no p99 is better than that.
 */
export const bench: Bench = {
  name: 'machine',
  summary: 'how steady this machine is by itself: passes over 400 MB of memory',
  async run({ options, say }) {
    const { seconds = 20 } = options
    say(`touching ${pages} pages for ${seconds} s`)
    const passes = passesOver(new Uint8Array(pages * pageBytes), seconds)
    const usual = median(passes)
    const late = passes.filter((ms) => ms > slow * usual)
    const total = (some: readonly number[]) => some.reduce((sum, ms) => sum + ms, 0)
    const figures = {
      passMs: rounded(usual),
      p99Ms: rounded(percentile(passes, 0.99)),
      worstMs: rounded(percentile(passes, 1)),
      slowPercent: rounded((100 * total(late)) / total(passes), 1),
    }
    return {
      tables: [{ title: 'A pass over 400 MB, one byte of each page', rows: [figures] }],
      goals: [{ what: '% of the time with slow memory', value: figures.slowPercent, atMost: 1 }],
      notes: [`Slow: a pass that took more than ${slow} times the usual one.`],
      figures,
    }
  },
}

function passesOver(memory: Uint8Array, seconds: number): number[] {
  memory.fill(1)
  const passes: number[] = []
  const end = performance.now() + seconds * 1000
  for (let start = performance.now(); start < end; ) {
    for (let at = 0; at < memory.length; at += pageBytes + 64) memory[at] = passes.length
    const now = performance.now()
    passes.push(now - start)
    start = now
  }
  return passes
}
