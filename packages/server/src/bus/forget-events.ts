import { AckPolicy, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { Forgotten, HeardEvent } from '../outbox/listener.ts'
import type { EventStream } from './event-stream.ts'

const maxAtOnce = 100
const waitMs = 5000

/**
 * Deletes events that name a user, and those of messages in conversations that are gone, from the stream. Others that
 * stand in the same message are published again, at the end: listeners and readers know them by their ids.
 */
export async function forgetEvents(stream: EventStream, forgotten: Forgotten): Promise<void> {
  const { client, manager } = await stream.open()
  const { appId } = forgotten
  const info = await manager.consumers.add(stream.eventsName, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    filter_subject: `${stream.prefix}.${appId}.*.*`,
    inactive_threshold: nanos(10 * waitMs),
    mem_storage: true,
  })
  const consumer = client.consumers.getConsumerFromInfo(info)
  for (let left = info.num_pending; left > 0; ) {
    const wanted = { max_messages: Math.min(left, maxAtOnce), expires: waitMs }
    const page: JsMsg[] = []
    for await (const message of await consumer.fetch(wanted)) page.push(message)
    if (page.length === 0) throw new Error('NATS has fallen silent while events were deleted.')
    await forgetIn(page)
    left -= page.length
  }
  await manager.consumers.delete(stream.eventsName, info.name)

  async function forgetIn(page: readonly JsMsg[]): Promise<void> {
    const heard = page.map((message) => ({ message, events: eventsIn(message) }))
    const keys = heard.flatMap(({ events }) => events.flatMap((event) => keyOf(event) ?? []))
    const gone = await forgotten.goneAmong([...new Set(keys)])
    for (const { message, events } of heard) {
      const rest = events.filter((event) => !isAbout(forgotten.uid, gone, event))
      if (rest.length === events.length) continue
      if (rest.length > 0) {
        const { subject, headers, seq } = message
        const body = JSON.stringify({ appId, events: rest })
        const msgID = `rest-of-${seq}`
        await client.publish(subject, body, { msgID, ...(headers && { headers }) })
      }
      await manager.streams.deleteMessage(stream.eventsName, message.seq)
    }
  }
}

function eventsIn(message: JsMsg): readonly HeardEvent[] {
  return message.json<{ readonly events: readonly HeardEvent[] }>().events
}

/** Of the conversation that something was said in. */
function keyOf({ name, payload }: HeardEvent): number | undefined {
  const isOfMessage = name.startsWith('entry.') || name.startsWith('message.')
  return isOfMessage && 'key' in payload ? Number(payload.key) : undefined
}

/** The uid is a JSON string in it, or mentioned in a text. That the user was deleted stays: it says no more. */
function isAbout(uid: string, gone: ReadonlySet<number>, event: HeardEvent): boolean {
  if (event.name === 'user.deleted') return false
  const key = keyOf(event)
  if (key !== undefined && gone.has(key)) return true
  const text = JSON.stringify(event)
  return text.includes(JSON.stringify(uid)) || text.toLowerCase().includes(`<@uid:${uid}>`)
}
