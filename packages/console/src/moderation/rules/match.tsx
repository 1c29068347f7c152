import type { OperationOutputs } from '@chorale/sdk'
import { useQuery } from '@tanstack/react-query'
import { useApp } from '../../app/session.tsx'
import { dryRun } from '../../strings/rules.ts'
import { Time } from '../../ui/time.tsx'

type Found = OperationOutputs['getDryRun']['data']['matches'][number]

/** A message that would be caught, with the words for which. */
export function Match({ match }: { readonly match: Found }) {
  const { appId, client } = useApp()
  const { messageId: id, sender, sentAt, caughtBy, findings } = match
  const found = useQuery({
    queryKey: [appId, 'message', id],
    queryFn: () => client.getMessage({ params: { id } }),
    staleTime: 60_000,
    retry: false,
  })
  const spans = findings
    .flatMap(({ conditions }) => conditions.flatMap((one) => one.spans))
    .filter(({ operand }) => operand === 'text')
    .toSorted((a, b) => a.start - b.start)
  const text = found.data?.data.data.text
  const last = spans.at(-1)
  const [first] = spans
  return (
    <li data-caught={caughtBy}>
      <span className="hint">
        {sender}, <Time at={sentAt} />
      </span>{' '}
      {text === undefined ? (
        found.isError && dryRun.gone
      ) : first && last ? (
        <>
          {text.slice(0, first.start)}
          <mark>{text.slice(first.start, last.end)}</mark>
          {text.slice(last.end)}
        </>
      ) : (
        text
      )}
    </li>
  )
}
