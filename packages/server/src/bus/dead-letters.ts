import { headers } from '@nats-io/transport-node'
import type { HeardEvent } from '../outbox/listener.ts'
import type { EventStream } from './event-stream.ts'

/** An event that a listener gave up on. */
interface DeadLetter {
  readonly listener: string
  /** Where in the stream it came from, without the prefix. */
  readonly subject: string
  readonly appId: string
  readonly event: HeardEvent
  readonly error: string
  readonly at: number
}

export interface DeadLetters {
  write(letter: DeadLetter): Promise<void>
  /** The oldest ones behind the one with this number, each with its own. */
  list(most: number, after?: number): Promise<(DeadLetter & { readonly number: number })[]>
  /** Hands it to its listener once more. False: there is no such letter. */
  replay(number: number): Promise<boolean>
  /** Deletes those of an app, or those about a user of it. */
  forget(appId: string, uid?: string): Promise<void>
}

/** Whom a message is for; without it, for every listener of its subject. */
export const onlyForHeader = 'Chorale-Only-For'

export function openDeadLetters(stream: EventStream): DeadLetters {
  const { prefix, lettersName } = stream
  return {
    async write(letter) {
      const { client } = await stream.open()
      await client.publish(`${prefix}-dead.${letter.listener}`, JSON.stringify(letter))
    },

    async list(most, after = 0) {
      const { client } = await stream.open()
      const consumer = await client.consumers.get(lettersName, { opt_start_seq: after + 1 })
      const { num_pending: waiting } = await consumer.info()
      const wanted = Math.min(most, waiting)
      if (wanted === 0) return []
      const found: (DeadLetter & { number: number })[] = []
      for await (const message of await consumer.fetch({ max_messages: wanted, expires: 5000 })) {
        found.push({ ...message.json<DeadLetter>(), number: message.seq })
      }
      return found
    },

    async replay(number) {
      const { client, manager } = await stream.open()
      const stored = await manager.streams.getMessage(lettersName, { seq: number })
      if (!stored) return false
      const { listener, subject, appId, event } = stored.json<DeadLetter>()
      const only = headers()
      only.set(onlyForHeader, listener)
      await client.publish(`${prefix}.${subject}`, JSON.stringify({ appId, events: [event] }), {
        headers: only,
        // A letter that is replayed twice by mistake is one.
        msgID: `letter-${number}`,
      })
      await manager.streams.deleteMessage(lettersName, number)
      return true
    },

    async forget(appId, uid) {
      const { client, manager } = await stream.open()
      const { state } = await manager.streams.info(lettersName)
      if (state.messages === 0) return
      const consumer = await client.consumers.get(lettersName)
      const all = await consumer.fetch({ max_messages: state.messages, expires: 5000 })
      for await (const message of all) {
        if (message.json<DeadLetter>().appId !== appId) continue
        if (uid !== undefined && !message.string().includes(JSON.stringify(uid))) continue
        await manager.streams.deleteMessage(lettersName, message.seq)
      }
    },
  }
}
