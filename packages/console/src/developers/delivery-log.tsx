import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { setQuery, usePlace } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { rowsPerPage, usePages } from '../app/use-pages.ts'
import { deliveries } from '../strings/developers.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

const statuses = ['waiting', 'delivered', 'failed'] as const
const askEveryMs = 3000

/** What was sent to a webhook, and how it was answered. */
export function DeliveryLog({ webhookId }: { readonly webhookId: string }) {
  const { appId, client, may } = useApp()
  const { query } = usePlace()
  const queryClient = useQueryClient()
  const params = { appId, webhookId }
  const status = statuses.find((one) => one === query.get('status'))
  const [looked, setLooked] = useState<string>()
  const queryKey = [appId, 'webhooks', webhookId, 'deliveries']
  const found = usePages({
    queryKey: [...queryKey, status],
    read: (before?: string) =>
      client.listDeliveries({
        params,
        query: { limit: rowsPerPage, ...(status && { status }), ...(before && { before }) },
      }),
    next: ({ meta }) => meta.next?.before,
    everyMs: askEveryMs,
  })
  const again = useMutation({
    mutationFn: () => client.redeliverMany({ params, body: {} }),
    onSuccess: ({ data }) => {
      toast(deliveries.redelivered(data.redelivered))
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <section className="card">
      <h2>{deliveries.title}</h2>
      <div className="actions">
        <select
          aria-label={deliveries.status}
          value={status ?? ''}
          onChange={({ target }) => setQuery({ status: target.value })}
        >
          <option value="">{deliveries.all}</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {deliveries.statuses[one]}
            </option>
          ))}
        </select>
        {may('settings.write') && (
          <button type="button" onClick={() => again.mutate()}>
            {deliveries.redeliverFailed}
          </button>
        )}
      </div>
      {again.error && <Problem error={again.error} />}
      {looked !== undefined && (
        <Delivery webhookId={webhookId} deliveryId={looked} onClose={() => setLooked(undefined)} />
      )}
      <Pages of={found}>
        {(pages) => <Deliveries all={pages.flatMap(({ data }) => data)} onLook={setLooked} />}
      </Pages>
    </section>
  )
}

interface DeliveriesProps {
  readonly all: OperationOutputs['listDeliveries']['data']
  readonly onLook: (deliveryId: string) => void
}

function Deliveries({ all, onLook }: DeliveriesProps) {
  if (all.length === 0) return <Empty title={deliveries.none}>{deliveries.noneText}</Empty>
  return (
    <Table
      label={deliveries.title}
      head={[
        deliveries.trigger,
        deliveries.status,
        deliveries.attempts,
        deliveries.at,
        deliveries.look,
      ]}
      rows={all.map(({ id, trigger, status, attempts, createdAt }) => ({
        key: id,
        cells: [
          <code key="trigger">{trigger}</code>,
          deliveries.statuses[status],
          attempts,
          <Time key="time" at={createdAt} />,
          <button key="look" type="button" onClick={() => onLook(id)}>
            {deliveries.look}
          </button>,
        ],
      }))}
    />
  )
}

interface DeliveryProps {
  readonly webhookId: string
  readonly deliveryId: string
  readonly onClose: () => void
}

function Delivery({ webhookId, deliveryId, onClose }: DeliveryProps) {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const params = { appId, webhookId, deliveryId }
  const queryKey = [appId, 'webhooks', webhookId, 'deliveries']
  const found = useQuery({
    queryKey: [...queryKey, 'one', deliveryId],
    queryFn: () => client.getDelivery({ params }),
  })
  const again = useMutation({
    mutationFn: () => client.redeliver({ params }),
    onSuccess: () => {
      toast(deliveries.redelivered(1))
      onClose()
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <Dialog title={deliveries.payload} onClose={onClose}>
      <Loaded query={found}>
        {({ data: { request, log } }) => (
          <>
            <pre className="payload">{pretty(request.body)}</pre>
            <h3>{deliveries.answers}</h3>
            <ul>
              {log.map(({ at, tookMs, status, error, answer }) => (
                <li key={`${at} ${tookMs}`}>
                  <Time at={at} />: {status ?? error} {answer} ({deliveries.took(tookMs)})
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {again.error && <Problem error={again.error} />}
      {may('settings.write') && (
        <div className="actions">
          <button type="button" onClick={() => again.mutate()}>
            {deliveries.redeliver}
          </button>
        </div>
      )}
    </Dialog>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
