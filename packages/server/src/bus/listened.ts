import type { Listened } from '../outbox/listener.ts'
import { readConsumerLag } from './consumer-lag.ts'
import type { EventStream } from './event-stream.ts'
import { forgetEvents } from './forget-events.ts'

export function openListened(stream: EventStream): Listened {
  return {
    async lastSeq() {
      const { manager } = await stream.open()
      return (await manager.streams.info(stream.eventsName)).state.last_seq
    },
    async isPast(seq) {
      const { manager } = await stream.open()
      const lags = await readConsumerLag(manager, stream.eventsName)
      return lags.every(({ messages, ackedSeq }) => messages === 0 || ackedSeq >= seq)
    },
    forget: (forgotten) => forgetEvents(stream, forgotten),
  }
}
