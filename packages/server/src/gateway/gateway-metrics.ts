import { Counter, Gauge, type Registry } from 'prom-client'

export interface GatewayMetrics {
  sent(frames: number): void
  closed(reason: string): void
  refused(reason: string): void
  repaired(entries: number): void
}

export function openGatewayMetrics(
  registry: Registry,
  count: () => { readonly sockets: number; readonly conversations: number },
): GatewayMetrics {
  const registers = [registry]
  new Gauge({
    name: 'chorale_gateway_open',
    help: 'Sockets, and conversations that someone here listens to.',
    labelNames: ['what'],
    registers,
    collect() {
      for (const [what, number] of Object.entries(count())) this.set({ what }, number)
    },
  })
  const sent = new Counter({
    name: 'chorale_gateway_frames_sent_total',
    help: 'Frames written to sockets.',
    registers,
  })
  const closed = new Counter({
    name: 'chorale_gateway_closed_total',
    help: 'Connections that have ended, by the reason; `tooSlow`: the queue was full.',
    labelNames: ['reason'],
    registers,
  })
  const refused = new Counter({
    name: 'chorale_gateway_refused_total',
    help: 'Connections that were refused, by the reason: `notFound`, `origin`, `full`, `tooManyConnections`, or the error code of the sign-in.',
    labelNames: ['reason'],
    registers,
  })
  const repaired = new Counter({
    name: 'chorale_gateway_repaired_total',
    help: 'Entries that no signal brought and that were read from the log.',
    registers,
  })
  return {
    sent: (frames) => sent.inc(frames),
    closed: (reason) => closed.inc({ reason }),
    refused: (reason) => refused.inc({ reason }),
    repaired: (entries) => repaired.inc(entries),
  }
}
