import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { whileThere } from '../app/activity.ts'
import { clientOf } from '../app/client.ts'
import { useSelf } from '../app/session.tsx'
import { letters } from '../strings/operators.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

const queryKey = ['', 'dead-letters']
const most = 1000

/** Events that a listener gave up on. */
export function Page() {
  const queryClient = useQueryClient()
  const mayReplay = useSelf().permissions.includes('operations.write')
  const found = useQuery({
    queryKey,
    queryFn: () => clientOf('').listDeadLetters({ query: { limit: most } }),
    refetchInterval: whileThere(30_000),
  })
  const replay = useMutation({
    mutationFn: (numbers: number[]) => clientOf('').replayDeadLetters({ body: { numbers } }),
    onSuccess: ({ data }) => {
      toast(letters.replayed(data.replayed))
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const all = found.data?.data ?? []
  return (
    <>
      <PageHead title={letters.title} about={letters.about}>
        {mayReplay && all.length > 0 && (
          <ConfirmButton
            label={letters.replayAll(all.length)}
            disabled={replay.isPending}
            onConfirm={() => replay.mutate(all.map(({ number }) => number))}
          >
            {letters.replayAllText}
          </ConfirmButton>
        )}
      </PageHead>
      {replay.error && <Problem error={replay.error} />}
      <Loaded query={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={letters.none}>{letters.noneText}</Empty>
          ) : (
            <Table
              label={letters.title}
              head={[
                letters.at,
                letters.app,
                letters.listener,
                letters.event,
                letters.error,
                ...(mayReplay ? [letters.replay] : []),
              ]}
              rows={data.map(({ number, at, appId, listener, event, error }) => ({
                key: String(number),
                cells: [
                  <Time key="at" at={at} />,
                  <code key="app">{appId}</code>,
                  listener,
                  event,
                  error,
                  ...(mayReplay
                    ? [
                        <button
                          key="replay"
                          type="button"
                          aria-label={letters.replayOne(number)}
                          disabled={replay.isPending}
                          onClick={() => replay.mutate([number])}
                        >
                          {letters.replay}
                        </button>,
                      ]
                    : []),
                ],
              }))}
            />
          )
        }
      </Loaded>
    </>
  )
}
