import { health } from '../strings/operators.ts'
import { Table } from '../ui/table.tsx'
import type { Status } from './status.ts'

/** Jobs in the database. */
export function Queues({ queues }: Pick<Status, 'queues'>) {
  return (
    <section className="card">
      <h2>{health.queues}</h2>
      <Table
        label={health.queues}
        head={[health.queue, health.due, health.later, health.late, health.attempts]}
        rows={queues.map(({ queue, due, later, lateMs, attempts }) => ({
          key: queue,
          cells: [
            queue,
            due,
            later,
            due > 0 ? health.seconds(Math.round(lateMs / 1000)) : '',
            attempts,
          ],
        }))}
      />
    </section>
  )
}

interface ConsumersProps {
  readonly consumers: NonNullable<Status['nats']>['consumers']
}

/** A listener has several consumers, which share its events. */
export function Consumers({ consumers }: ConsumersProps) {
  const byListener = new Map<string, number>()
  for (const { consumer, messages } of consumers) {
    const listener = consumer.replace(/-\d+$/, '')
    byListener.set(listener, (byListener.get(listener) ?? 0) + messages)
  }
  return (
    <section className="card">
      <h2>{health.consumers}</h2>
      <Table
        label={health.consumers}
        head={[health.listener, health.behind]}
        rows={Array.from(byListener, ([listener, messages]) => ({
          key: listener,
          cells: [listener, messages],
        }))}
      />
    </section>
  )
}
