import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { queue, reviewed } from '../strings/moderation.ts'
import { textWithNames } from '../ui/mentions.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

/** What was decided; flagged messages can be decided anew. */
export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'reviewed']
  const decided = usePages({
    queryKey,
    read: (page = 1) => client.listReviewedMessages({ query: { limit: rowsPerPage, page } }),
    next: nextNumber,
  })
  const change = useMutation({
    mutationFn: async ({ id, status, kind }: Change) => {
      await client.claimMessages({ body: { messageIds: [id] } })
      const body = { status }
      await (kind === 'flagged'
        ? client.reviewFlaggedMessage({ params: { id }, body })
        : client.reviewBlockedMessage({ params: { messageId: id }, body }))
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  return (
    <>
      <PageHead title={reviewed.title} about={reviewed.about} />
      {change.error && <Problem error={change.error} />}
      <Pages of={decided}>
        {(pages) => (
          <Decided
            all={pages.flatMap(({ data }) => data)}
            mayChange={may('moderation.decide')}
            onChange={change.mutate}
          />
        )}
      </Pages>
    </>
  )
}

interface DecidedProps {
  readonly all: OperationOutputs['listReviewedMessages']['data']
  readonly mayChange: boolean
  readonly onChange: (change: Change) => void
}

function Decided({ all, mayChange, onChange }: DecidedProps) {
  if (all.length === 0) return <Empty title={reviewed.none}>{reviewed.noneText}</Empty>
  return (
    <Table
      label={reviewed.title}
      head={[
        reviewed.when,
        reviewed.text,
        reviewed.sender,
        reviewed.rule,
        reviewed.status,
        reviewed.change,
      ]}
      rows={all.map(({ message, updatedAt, ruleName, blockedAt, action }) => {
        const status = message.data.moderation?.status ?? 'approved'
        const id = String(Number(blockedAt.split('.')[1]))
        const kind = action.includes('blockMessage') ? 'blocked' : 'flagged'
        return {
          key: id,
          cells: [
            <Time key="time" at={updatedAt} />,
            textWithNames(message.data) ?? queue.noText,
            message.sender,
            ruleName ?? '',
            status === 'disapproved' ? reviewed.statuses.disapproved : reviewed.statuses.approved,
            mayChange && !(kind === 'blocked' && status === 'approved') ? (
              <ChangeButton
                key="change"
                status={status}
                onChange={(to) => onChange({ id, status: to, kind })}
              />
            ) : (
              ''
            ),
          ],
        }
      })}
    />
  )
}

interface Change {
  readonly id: string
  readonly status: 'approved' | 'disapproved'
  readonly kind: 'blocked' | 'flagged'
}

interface ChangeButtonProps {
  readonly status: string
  readonly onChange: (to: Change['status']) => void
}

function ChangeButton({ status, onChange }: ChangeButtonProps) {
  const to = status === 'disapproved' ? 'approved' : 'disapproved'
  return (
    <button type="button" onClick={() => onChange(to)}>
      {to === 'approved' ? reviewed.approve : reviewed.block}
    </button>
  )
}
