import type { JetStreamManager } from '@nats-io/jetstream'

export interface ConsumerLag {
  readonly consumer: string
  /** Messages of the stream that it has not acknowledged. */
  readonly messages: number
  /** The last message of the stream that it was given. */
  readonly deliveredSeq: number
}

/** Of every durable consumer of a stream, in one request. */
export async function readConsumerLag(
  { consumers }: JetStreamManager,
  stream: string,
): Promise<readonly ConsumerLag[]> {
  const lags: ConsumerLag[] = []
  for await (const { config, num_pending, num_ack_pending, delivered } of consumers.list(stream)) {
    const { durable_name: consumer } = config
    if (!consumer) continue
    lags.push({
      consumer,
      messages: num_pending + num_ack_pending,
      deliveredSeq: delivered.stream_seq,
    })
  }
  return lags
}
