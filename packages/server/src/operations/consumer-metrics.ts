import { Gauge, type Registry } from 'prom-client'
import { remembered } from './remembered.ts'

const name = 'chorale_consumer_lag_messages'

/** Of a worker, asked of NATS when someone looks. */
export function addConsumerLag(
  registry: Registry,
  ask: () => Promise<readonly { readonly consumer: string; readonly messages: number }[]>,
): void {
  if (registry.getSingleMetric(name)) return
  const read = remembered(ask)
  new Gauge({
    name,
    help: 'Messages of the event stream that a consumer, one for each listener and partition, has not acknowledged; of the whole install.',
    labelNames: ['consumer'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const lags = await read()
      this.reset()
      for (const { consumer, messages } of lags ?? []) this.set({ consumer }, messages)
    },
  })
}
