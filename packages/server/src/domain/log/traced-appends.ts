import type { Batcher } from '../../database/batcher.ts'
import { currentTrace, type Span, type Tracer } from '../../tracing/tracer.ts'
import type { Appended, NewEntry } from './log.sql.ts'

/** Each entry is a span from when it is added to when it is in the log. */
export function traceAppends(
  batcher: Batcher<NewEntry, Appended>,
  tracer: Tracer,
): Batcher<NewEntry, Appended> {
  return {
    idle: () => batcher.idle(),
    async add(entry) {
      const parent = currentTrace()
      if (!parent) return batcher.add(entry)
      const span = tracer.start('append message', { kind: 'internal', parent })
      try {
        const appended = await batcher.add({ ...entry, trace: span.context })
        span.end({ 'chorale.message.id': appended.id })
        return appended
      } catch (error) {
        span.end({}, error)
        throw error
      }
    },
  }
}

/** A batch is a span in the trace of its first entry, and linked to the spans of all. */
export function startBatch(tracer: Tracer, entries: readonly NewEntry[]): Span | undefined {
  const links = entries.flatMap(({ trace }) => trace ?? [])
  const [parent] = links
  const attributes = { 'chorale.batch.size': entries.length }
  return parent && tracer.start('commit batch', { kind: 'internal', parent, links, attributes })
}
