import type { EventStream } from './event-stream.ts'

export interface ConsumerLag {
  readonly consumer: string
  /** Messages of the stream that it has not acknowledged. */
  readonly messages: number
}

/** Of every durable consumer of the events, in one request. Throws while NATS is away. */
export async function readConsumerLag(stream: EventStream): Promise<readonly ConsumerLag[]> {
  const { manager } = await stream.open()
  const lags: ConsumerLag[] = []
  for await (const { config, num_pending, num_ack_pending } of manager.consumers.list(
    stream.eventsName,
  )) {
    const { durable_name: consumer } = config
    if (consumer) lags.push({ consumer, messages: num_pending + num_ack_pending })
  }
  return lags
}
