import type { Logger } from 'pino'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Turn, watchTurns } from './turns.ts'

const everyMs = 20
/** As long as nobody else in the process should have to wait. */
const atLeastMs = 100

/**
 * Tells when something has held the event loop, and what. Beside the wall clock it reads the CPU time of
 * this thread: on a machine that is too busy the loop waits, and nobody has blocked it.
 */
export function openWatchdog(registry: Registry, log: Logger): Disposable {
  const blocks = new Counter({
    name: 'chorale_event_loop_blocks_total',
    help: `Times that the event loop was held for ${atLeastMs} ms. cause: work of ours, or a machine that gave it no CPU.`,
    labelNames: ['cause'],
    registers: [registry],
  })
  const lengths = new Histogram({
    name: 'chorale_event_loop_block_seconds',
    help: 'How long it was held, by the CPU time that this took.',
    buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 5],
    registers: [registry],
  })
  const longest = new Gauge({
    name: 'chorale_event_loop_longest_block_seconds',
    help: 'The longest since the start, by the CPU time that it took.',
    aggregator: 'max',
    registers: [registry],
  })
  longest.set(0)
  for (const cause of ['work', 'machine']) blocks.inc({ cause }, 0)
  let longestMs = 0
  let before = process.threadCpuUsage()
  const onBeat = () => {
    before = process.threadCpuUsage()
  }
  const onBlock = (turn: Turn | undefined, ms: number) => {
    const { user, system } = process.threadCpuUsage(before)
    onBeat()
    const cpuMs = Math.min(ms, (user + system) / 1000)
    const cause = cpuMs >= atLeastMs ? 'work' : 'machine'
    blocks.inc({ cause })
    lengths.observe(cpuMs / 1000)
    longestMs = Math.max(longestMs, cpuMs)
    longest.set(longestMs / 1000)
    const facts = { ...turn, ms: Math.round(ms), cpuMs: Math.round(cpuMs) }
    if (cause === 'work') log.warn(facts, 'the event loop was blocked')
    else log.debug(facts, 'the event loop waited for the machine')
  }
  return watchTurns({ everyMs, atLeastMs, onBlock, onBeat })
}
