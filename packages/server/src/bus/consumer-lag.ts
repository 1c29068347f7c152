import type { JetStreamManager } from '@nats-io/jetstream'

export interface ConsumerLag {
  readonly consumer: string
  /** Messages of the stream that it has not acknowledged. */
  readonly messages: number
  /** The last message of the stream that it was given. */
  readonly deliveredSeq: number
  /** All that it was given up to here, it has acknowledged. */
  readonly ackedSeq: number
}

/** Of every durable consumer of a stream, in one request. */
export async function readConsumerLag(
  { consumers }: JetStreamManager,
  stream: string,
): Promise<readonly ConsumerLag[]> {
  const lags: ConsumerLag[] = []
  for await (const info of consumers.list(stream)) {
    const { config, num_pending, num_ack_pending, delivered, ack_floor } = info
    const { durable_name: consumer } = config
    if (!consumer) continue
    lags.push({
      consumer,
      messages: num_pending + num_ack_pending,
      deliveredSeq: delivered.stream_seq,
      ackedSeq: ack_floor.stream_seq,
    })
  }
  return lags
}
