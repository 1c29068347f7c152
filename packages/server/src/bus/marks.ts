import type { Known, Marks } from '../outbox/epochs.ts'
import type { HeardEvent } from '../outbox/listener.ts'
import type { EventStream } from './event-stream.ts'

/** In a stream of their own: the last one of each install. */
export function openMarks(stream: EventStream): Marks {
  const subjectOf = (installId: string) => `${stream.prefix}-mark.${installId}`

  async function lastEntry(): Promise<Known['entry']> {
    const { manager } = await stream.open()
    const last = { last_by_subj: `${stream.prefix}.*.*.entry` }
    const message = await manager.streams.getMessage(stream.eventsName, last)
    const { appId = '', events = [] } =
      message?.json<{ appId: string; events: readonly HeardEvent<'entry.appended'>[] }>() ?? {}
    const ids = events.map(({ payload }) => payload.id)
    return ids.length > 0 ? { appId, id: Math.max(...ids) } : undefined
  }

  return {
    async read(installId) {
      const { manager } = await stream.open()
      const last = { last_by_subj: subjectOf(installId) }
      const message = await manager.streams.getMessage(stream.marksName, last)
      return { mark: message ? Number(message.string()) : 0, entry: await lastEntry() }
    },
    async keep(installId, mark) {
      const { client } = await stream.open()
      await client.publish(subjectOf(installId), String(mark))
    },
  }
}
