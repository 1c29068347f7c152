import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clientOf } from '../app/client.ts'
import { useSelf } from '../app/session.tsx'
import { rowsPerPage, usePages } from '../app/use-pages.ts'
import { letters } from '../strings/operators.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

const queryKey = ['', 'dead-letters']

/** Events that a listener gave up on. */
export function Page() {
  const queryClient = useQueryClient()
  const mayReplay = useSelf().permissions.includes('operations.write')
  const found = usePages({
    queryKey,
    read: (after?: number) =>
      clientOf('').listDeadLetters({
        query: { limit: rowsPerPage, ...(after !== undefined && { after }) },
      }),
    next: ({ data }) => (data.length < rowsPerPage ? undefined : data.at(-1)?.number),
    everyMs: 30_000,
  })
  const replay = useMutation({
    mutationFn: (numbers: number[]) => clientOf('').replayDeadLetters({ body: { numbers } }),
    onSuccess: ({ data }) => {
      toast(letters.replayed(data.replayed))
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const all = found.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <>
      <PageHead title={letters.title} about={letters.about}>
        {mayReplay && all.length > 0 && (
          <ConfirmButton
            label={(found.hasNextPage ? letters.replayShown : letters.replayAll)(all.length)}
            disabled={replay.isPending}
            onConfirm={() => replay.mutate(all.map(({ number }) => number))}
          >
            {letters.replayAllText}
          </ConfirmButton>
        )}
      </PageHead>
      {replay.error && <Problem error={replay.error} />}
      <Pages of={found}>
        {() => (
          <Letters
            all={all}
            replay={mayReplay ? (number) => replay.mutate([number]) : undefined}
            isPending={replay.isPending}
          />
        )}
      </Pages>
    </>
  )
}

interface LettersProps {
  readonly all: OperationOutputs['listDeadLetters']['data']
  readonly replay: ((number: number) => void) | undefined
  readonly isPending: boolean
}

function Letters({ all, replay, isPending }: LettersProps) {
  if (all.length === 0) return <Empty title={letters.none}>{letters.noneText}</Empty>
  return (
    <Table
      label={letters.title}
      head={[
        letters.at,
        letters.app,
        letters.listener,
        letters.event,
        letters.error,
        ...(replay ? [letters.replay] : []),
      ]}
      rows={all.map(({ number, at, appId, listener, event, error }) => ({
        key: String(number),
        cells: [
          <Time key="at" at={at} />,
          <code key="app">{appId}</code>,
          listener,
          event,
          error,
          ...(replay
            ? [
                <button
                  key="replay"
                  type="button"
                  aria-label={letters.replayOne(number)}
                  disabled={isPending}
                  onClick={() => replay(number)}
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
