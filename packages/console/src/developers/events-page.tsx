import { useInfiniteQuery } from '@tanstack/react-query'
import { whileThere } from '../app/activity.ts'
import { useApp } from '../app/session.tsx'
import { events } from '../strings/developers.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { Waiting } from '../ui/waiting.tsx'

const pageSize = 100
const askEveryMs = 10_000

/** The feed from its oldest event on, as a program reads it. */
export function Page() {
  const { appId, client } = useApp()
  const feed = useInfiniteQuery({
    queryKey: [appId, 'events'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      client.listEvents({ query: { limit: pageSize, ...(pageParam && { after: pageParam }) } }),
    getNextPageParam: ({ data, meta }) => (data.length < pageSize ? undefined : meta.next.after),
    refetchInterval: whileThere(askEveryMs),
  })
  const all = feed.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <>
      <PageHead title={events.title} about={events.about} />
      {feed.error && <Problem error={feed.error} onRetry={() => void feed.refetch()} />}
      {feed.isPending && <Waiting />}
      {feed.data && all.length === 0 && <Empty title={events.none}>{events.noneText}</Empty>}
      {all.length > 0 && (
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
      )}
      {feed.hasNextPage && (
        <button
          type="button"
          disabled={feed.isFetchingNextPage}
          onClick={() => void feed.fetchNextPage()}
        >
          {events.newer}
        </button>
      )}
    </>
  )
}
