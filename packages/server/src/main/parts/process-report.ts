import { hostname } from 'node:os'
import { answerWithReport, type ProcessReport } from '../../bus/process-reports.ts'
import { unixSeconds } from '../clock.ts'
import type { Core } from './core.ts'

/** This process answers `chorale status`. */
export function answerStatus(core: Core, parts: readonly string[]): void {
  const startedAt = unixSeconds()
  const { bus, config, log } = core
  answerWithReport(bus, config.NATS_PREFIX, log, () => readReport(core, parts, startedAt))
}

async function readReport(
  { version, health, metrics, foreground, background }: Core,
  parts: readonly string[],
  startedAt: number,
): Promise<ProcessReport> {
  const { ready, degraded, checks } = await health.read()
  const pools = [foreground, background].flatMap((database) => Object.values(database.stats()))
  const sum = (of: 'total' | 'max' | 'waiting') => pools.reduce((all, stats) => all + stats[of], 0)
  const open = await metrics.registry.getSingleMetric('chorale_gateway_open')?.get()
  return {
    host: hostname(),
    pid: process.pid,
    version,
    parts,
    startedAt,
    ready,
    degraded,
    failing: Object.fromEntries(Object.entries(checks).filter(([, state]) => state !== 'ok')),
    sockets: open?.values.find(({ labels }) => labels.what === 'sockets')?.value ?? null,
    connections: { open: sum('total'), max: sum('max'), waiting: sum('waiting') },
  }
}
