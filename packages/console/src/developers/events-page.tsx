import { useApp } from '../app/session.tsx'
import { rowsPerPage, usePages } from '../app/use-pages.ts'
import { events } from '../strings/developers.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const askEveryMs = 10_000

/** The feed from its oldest event on, as a program reads it. */
export function Page() {
  const { appId, client } = useApp()
  const feed = usePages({
    queryKey: [appId, 'events'],
    read: (after?: string) =>
      client.listEvents({ query: { limit: rowsPerPage, ...(after && { after }) } }),
    next: ({ data, meta }) => (data.length < rowsPerPage ? undefined : meta.next.after),
    everyMs: askEveryMs,
  })
  return (
    <>
      <PageHead title={events.title} about={events.about} />
      <Pages of={feed}>
        {(pages) => {
          const all = pages.flatMap(({ data }) => data)
          if (all.length === 0) return <Empty title={events.none}>{events.noneText}</Empty>
          return (
            <Table
              label={events.title}
              head={[events.type, events.at, events.data]}
              rows={all.map(({ id, type, at, data }) => ({
                key: id,
                cells: [
                  <code key="type">{type}</code>,
                  <Time key="time" at={at} />,
                  <code key="data">{JSON.stringify(data)}</code>,
                ],
              }))}
            />
          )
        }}
      </Pages>
    </>
  )
}
