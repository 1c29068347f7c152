import { useQuery } from '@tanstack/react-query'
import { whileThere } from '../app/activity.ts'
import { clientOf } from '../app/client.ts'
import { health } from '../strings/operators.ts'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { WithCode } from '../ui/with-code.tsx'
import { Consumers, Queues } from './backlogs.tsx'
import type { Status } from './status.ts'

/** It takes two seconds to read. */
const everyMs = 15_000

/** Engines, processes, queues, and what is wrong. */
export function Page() {
  const status = useQuery({
    queryKey: ['', 'status'],
    queryFn: () => clientOf('').getInstallStatus(),
    refetchInterval: whileThere(everyMs),
  })
  return (
    <>
      <PageHead title={health.title} />
      <Loaded query={status}>
        {({ data }) => (
          <>
            <Problems status={data} />
            <Engines status={data} />
            <Processes processes={data.processes} />
            <Queues queues={data.queues} />
            <Consumers consumers={data.nats?.consumers ?? []} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Problems({ status: { problems, readAt } }: { readonly status: Status }) {
  const isFine = problems.length === 0
  return (
    <section className="note" data-kind={isFine ? 'good' : 'error'} aria-live="polite">
      <strong className="state" data-kind={isFine ? 'good' : 'bad'}>
        {isFine ? health.fine : health.wrong(problems.length)}
      </strong>
      <ul className="problems">
        {problems.map(({ check, level, text, remedy }) => (
          <li key={`${check} ${text}`}>
            <p>
              <strong>{health.level[level]}:</strong> {text}
            </p>
            {remedy !== undefined && (
              <p className="hint">
                <WithCode text={remedy} />
              </p>
            )}
          </li>
        ))}
      </ul>
      <p className="hint">
        {health.read} <Time at={readAt} />
      </p>
    </section>
  )
}

function Engines({ status: { version, database, nats, outbox } }: { readonly status: Status }) {
  return (
    <section className="card">
      <Facts
        of={{
          [health.version]: version,
          [health.database]: database?.version ?? health.unknown,
          [health.schema]: database?.schema,
          [health.connections]:
            database && health.of(database.connections, database.maxConnections),
          [health.nats]: nats?.version ?? health.unknown,
          [health.letters]: nats?.deadLetters,
          [health.outbox]: outbox && health.waiting(outbox.receipts + outbox.events),
          [health.lag]: outbox && health.seconds(outbox.lagSeconds),
        }}
      />
    </section>
  )
}

function Processes({ processes }: Pick<Status, 'processes'>) {
  if (processes.length === 0) return <Empty title={health.noProcesses} />
  return (
    <section className="card">
      <h2>{health.processes}</h2>
      <Table
        label={health.processes}
        head={[
          health.host,
          health.version,
          health.parts,
          health.up,
          health.state,
          health.sockets,
          health.connections,
        ]}
        rows={processes.map((one) => ({
          key: `${one.host} ${one.pid}`,
          cells: [
            `${one.host} ${one.pid}`,
            one.version,
            one.parts.join(', '),
            <Time key="up" at={one.startedAt} />,
            <State key="state" of={one} />,
            one.sockets ?? '',
            health.of(one.connections.open, one.connections.max),
          ],
        }))}
      />
    </section>
  )
}

function State({ of }: { readonly of: Status['processes'][number] }) {
  const { ready, degraded, failing } = of
  const isFine = ready && !degraded
  const why = Object.entries(failing).map(([name, error]) => `${name}: ${error}`)
  return (
    <span className="state" data-kind={isFine ? 'good' : 'bad'}>
      {ready ? (degraded ? health.degraded : health.ready) : health.notReady}
      {why.length > 0 && ` (${why.join('; ')})`}
    </span>
  )
}
