import type { OperationOutputs } from '@chorale/sdk'
import type { FormEvent } from 'react'
import { clientOf } from '../app/client.ts'
import { setQuery, usePlace } from '../app/router.tsx'
import { rowsPerPage, usePages } from '../app/use-pages.ts'
import { audit } from '../strings/operators.ts'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { type AuditFilter, ExportButton } from './export-button.tsx'

type Entry = OperationOutputs['listAuditLog']['data'][number]

interface AuditLogProps {
  /** Undefined: of all apps, and the install itself. */
  readonly appId: string | undefined
}

const names = ['operation', 'caller', 'since', 'until'] as const

/** Who did what. */
export function AuditLog({ appId }: AuditLogProps) {
  const { query } = usePlace()
  const filter = filterIn(query, appId)
  return (
    <>
      <PageHead title={appId === undefined ? audit.ofInstall : audit.title} about={audit.about}>
        <ExportButton filter={filter} />
      </PageHead>
      <Filters key={query.toString()} query={query} />
      <Lines filter={filter} withApp={appId === undefined} />
    </>
  )
}

/** The day begins and ends where the person is. */
function filterIn(query: URLSearchParams, appId: string | undefined): AuditFilter {
  const text = (name: string) => query.get(name)?.trim() || undefined
  const dayOf = (name: string, plusDays: number) => {
    const date = new Date(`${text(name)}T00:00`)
    date.setDate(date.getDate() + plusDays)
    return Number.isNaN(date.getTime()) ? undefined : Math.floor(date.getTime() / 1000)
  }
  const [operation, caller] = [text('operation'), text('caller')]
  const [since, until] = [dayOf('since', 0), dayOf('until', 1)]
  return {
    ...(appId !== undefined && { appId }),
    ...(operation !== undefined && { operation }),
    ...(caller !== undefined && { caller }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

function Filters({ query }: { readonly query: URLSearchParams }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setQuery(Object.fromEntries(names.map((name) => [name, String(fields.get(name) ?? '')])))
  }
  const typed = (name: (typeof names)[number]) => query.get(name) ?? ''
  return (
    <form className="filters" onSubmit={submit}>
      <TextField label={audit.operation} name="operation" defaultValue={typed('operation')} />
      <TextField
        label={audit.caller}
        hint={audit.callerHint}
        name="caller"
        defaultValue={typed('caller')}
      />
      <TextField label={audit.since} name="since" type="date" defaultValue={typed('since')} />
      <TextField label={audit.until} name="until" type="date" defaultValue={typed('until')} />
      <div className="actions">
        <button type="submit" className="primary">
          {audit.filter}
        </button>
      </div>
    </form>
  )
}

interface LinesProps {
  readonly filter: AuditFilter
  readonly withApp: boolean
}

function Lines({ filter, withApp }: LinesProps) {
  const lines = usePages({
    queryKey: [filter.appId ?? '', 'audit-log', filter],
    read: (before?: number) =>
      clientOf('').listAuditLog({
        query: { ...filter, limit: rowsPerPage, ...(before !== undefined && { before }) },
      }),
    next: ({ meta }) => meta.next?.before,
  })
  return (
    <Pages of={lines}>
      {(pages) => {
        const entries = pages.flatMap(({ data }) => data)
        if (entries.length === 0) return <Empty title={audit.none}>{audit.noneText}</Empty>
        return (
          <Table
            label={audit.title}
            head={[
              audit.at,
              audit.who,
              audit.what,
              ...(withApp ? [audit.app] : []),
              audit.input,
              audit.from,
            ]}
            rows={entries.map((entry) => ({
              key: String(entry.id),
              cells: cellsOf(entry, withApp),
            }))}
          />
        )
      }}
    </Pages>
  )
}

function cellsOf({ at, name, caller, operation, appId, input, address }: Entry, withApp: boolean) {
  return [
    <Time key="at" at={at} />,
    <span key="who">
      {name !== undefined && <strong>{name} </strong>}
      <code>{caller}</code>
    </span>,
    operation,
    ...(withApp ? [<code key="app">{appId ?? ''}</code>] : []),
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
    <code key="input" className="given" tabIndex={0}>
      {JSON.stringify(input)}
    </code>,
    address ?? '',
  ]
}
