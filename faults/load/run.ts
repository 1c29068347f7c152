import { setTimeout as after } from 'node:timers/promises'
import { check, type Finding } from '../check/check.ts'
import type { Fault } from '../kinds/fault.ts'
import { startAll, untilReady } from '../rig/rig.ts'
import { collect } from './collect.ts'
import { openDevices } from './devices.ts'
import { startReading } from './read-marks.ts'
import { type Sends, startSending } from './sends.ts'
import { receiveWebhooks } from './webhooks.ts'
import { makeWorld } from './world.ts'

export interface RunOptions {
  readonly perSecond: number
  /** Before the fault, and after it was set right. */
  readonly calmSeconds: number
}

/** One run, as it is kept and shown. */
export interface Result {
  readonly fault: string
  readonly at: string
  readonly perSecond: number
  readonly acknowledged: number
  readonly unacknowledged: number
  readonly findings: readonly Finding[]
  /** The longest time without an acknowledged write after the fault began. */
  readonly gapMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refusals: Readonly<Record<string, number>>
  /** Acknowledged in each second since the start. */
  readonly seconds: readonly number[]
  readonly faultFrom: number
  readonly faultTo: number
}

export async function runFaults(
  faults: readonly Fault[],
  { perSecond, calmSeconds }: RunOptions,
  say: (line: string) => void,
): Promise<Result> {
  const name = faults.map((fault) => fault.name).join('+')
  await startAll()
  await untilReady(180)
  const began = Date.now()
  const world = await makeWorld(`${name.slice(0, 60)}-${began.toString(36)}`)
  await using webhooks = await receiveWebhooks()
  const devices = openDevices(world)
  const started = performance.now()
  const sends = startSending(world, perSecond)
  const reading = startReading(world, sends)
  const since = () => (performance.now() - started) / 1000
  await after(calmSeconds * 1000)

  const faultFrom = since()
  say(`${name}: begins after ${sends.acknowledged.size} acknowledged`)
  const taken = await goThroughAll(faults, say)
  const faultTo = since()
  await startAll()
  await after(calmSeconds * 1000)
  await untilReady(180)
  await sends.finish(120)
  await reading.finish()
  say(`${name}: ${sends.acknowledged.size} acknowledged; reading them back`)
  const observed = await collect({ world, sends, devices, webhooks, marks: reading.marks, began })
  devices.close()
  const findings = check(observed)
  const at = new Date(began).toISOString()
  const fault = taken.map((one) => one.name).join('+')
  return { fault, at, perSecond, findings, ...figures(sends, faultFrom), faultFrom, faultTo }
}

/** Those that took place: one may stand in the way of another. All that began are set right, whatever fails. */
async function goThroughAll(
  faults: readonly Fault[],
  say: (line: string) => void,
): Promise<readonly Fault[]> {
  const outcomes = await Promise.allSettled(faults.map(goThrough))
  const failures = outcomes.filter(({ status }) => status === 'rejected')
  const taken = faults.filter((_, nth) => outcomes[nth]?.status === 'fulfilled')
  for (const { reason } of failures as PromiseRejectedResult[]) say(`a fault failed: ${reason}`)
  if (taken.length === 0) throw new Error('No fault took place.')
  return taken
}

async function goThrough(fault: Fault): Promise<void> {
  const setRight = await fault.begin()
  await after(fault.seconds * 1000)
  await setRight()
}

function figures({ acknowledged, attempted, refusals }: Sends, faultFrom: number) {
  const all = [...acknowledged.values()].sort((one, other) => one.at - other.at)
  const took = all.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const quantile = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0)
  let gapMs = 0
  const seconds: number[] = []
  for (const [nth, { at }] of all.entries()) {
    const second = Math.floor(at / 1000)
    while (seconds.length <= second) seconds.push(0)
    seconds[second] = (seconds[second] ?? 0) + 1
    const before = all[nth - 1]
    if (before && at > faultFrom * 1000) gapMs = Math.max(gapMs, Math.round(at - before.at))
  }
  return {
    acknowledged: acknowledged.size,
    unacknowledged: attempted.size - acknowledged.size,
    gapMs,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    refusals: Object.fromEntries(refusals),
    seconds,
  }
}
