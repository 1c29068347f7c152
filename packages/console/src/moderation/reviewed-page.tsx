import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApp } from '../app/session.tsx'
import { queue, reviewed } from '../strings/moderation.ts'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

/** What was decided; flagged messages can be decided anew. */
export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'reviewed']
  const decided = useQuery({
    queryKey: [...queryKey, 1],
    queryFn: () => client.listReviewedMessages({ query: { limit: 100 } }),
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
      <Loaded query={decided}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={reviewed.none}>{reviewed.noneText}</Empty>
          ) : (
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
              rows={data.map(({ message, updatedAt, ruleName, blockedAt, action }) => {
                const status = message.data.moderation?.status ?? 'approved'
                const id = String(Number(blockedAt.split('.')[1]))
                const kind = action.includes('blockMessage') ? 'blocked' : 'flagged'
                return {
                  key: id,
                  cells: [
                    <Time key="time" at={updatedAt} />,
                    message.data.text ?? queue.noText,
                    message.sender,
                    ruleName ?? '',
                    status === 'disapproved'
                      ? reviewed.statuses.disapproved
                      : reviewed.statuses.approved,
                    may('moderation.decide') && !(kind === 'blocked' && status === 'approved') ? (
                      <ChangeButton
                        key="change"
                        status={status}
                        onChange={(to) => change.mutate({ id, status: to, kind })}
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
      </Loaded>
    </>
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
