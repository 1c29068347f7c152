import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { navigate } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { webhooks } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { ShownOnce } from './shown-once.tsx'
import { TriggerChoice } from './trigger-choice.tsx'

type Webhook = OperationOutputs['getWebhook']['data']

/** As webhooks are now. */
export const generation = { 'X-Webhook-Version': 2 }

export function stateOf({ enabled, failingSince }: Webhook): string {
  if (!enabled) return webhooks.disabled
  return failingSince === undefined ? webhooks.enabled : webhooks.failing
}

export function WebhookView({ webhookId }: { readonly webhookId: string }) {
  const { appId, client, may } = useApp()
  const params = { appId, webhookId }
  const found = useQuery({
    queryKey: [appId, 'webhooks', webhookId],
    queryFn: () => client.getWebhook({ params, headers: generation }),
  })
  return (
    <Loaded query={found}>
      {({ data }) => (
        <>
          <PageHead title={data.name} about={`${data.webhookURL}: ${stateOf(data)}`}>
            <Buttons webhook={data} />
          </PageHead>
          <Triggers webhookId={webhookId} />
          {may('logs.read') && <DeliveryLog webhookId={webhookId} />}
        </>
      )}
    </Loaded>
  )
}

function Buttons({ webhook: { id: webhookId, enabled } }: { readonly webhook: Webhook }) {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const params = { appId, webhookId }
  const [secret, setSecret] = useState<string>()
  const refresh = () => queryClient.invalidateQueries({ queryKey: [appId, 'webhooks'] })
  const act = useMutation({
    mutationFn: async (call: () => Promise<unknown>) => call(),
    onSuccess: refresh,
  })
  if (!may('settings.write')) return null
  const test = async () => {
    await client.testWebhook({ params })
    toast(webhooks.tested)
  }
  const remove = async () => {
    await client.deleteWebhook({ params, headers: generation })
    toast(webhooks.removed)
    navigate(`/apps/${appId}/webhooks`)
  }
  const rotate = async () => {
    const { data } = await client.rotateWebhookSecret({ params })
    setSecret(data.signingSecret)
  }
  const toggle = () =>
    client.updateWebhook({ params, headers: generation, body: { enabled: !enabled } })
  return (
    <>
      <button type="button" className="primary" onClick={() => act.mutate(test)}>
        {webhooks.test}
      </button>
      <button type="button" onClick={() => act.mutate(toggle)}>
        {enabled ? webhooks.switchOff : webhooks.switchOn}
      </button>
      {may('keys.write') && (
        <ConfirmButton label={webhooks.rotate} onConfirm={() => act.mutate(rotate)}>
          {webhooks.rotateText}
        </ConfirmButton>
      )}
      <ConfirmButton label={common.remove} onConfirm={() => act.mutate(remove)}>
        {webhooks.removeText}
      </ConfirmButton>
      {act.error && <Problem error={act.error} />}
      {secret !== undefined && (
        <ShownOnce
          title={webhooks.secret}
          text={webhooks.secretText}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

/** Saved as what differs from before. */
function Triggers({ webhookId }: { readonly webhookId: string }) {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'webhooks', webhookId, 'triggers']
  const of = { params: { appId, webhookId }, headers: generation }
  const found = useQuery({
    queryKey,
    queryFn: () => client.listWebhookTriggers(of),
    select: ({ data }) => data.map(({ id }) => id),
  })
  const save = useMutation({
    mutationFn: async (wanted: readonly string[]) => {
      const before = found.data ?? []
      const added = wanted.filter((id) => !before.includes(id))
      const removed = before.filter((id) => !wanted.includes(id))
      if (added.length > 0) await client.addWebhookTriggers({ ...of, body: { triggerIds: added } })
      if (removed.length > 0) {
        await client.removeWebhookTriggers({ ...of, body: { triggerIds: removed } })
      }
    },
    onSuccess: () => toast(webhooks.saved),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget).getAll('trigger').map(String))
  }
  return (
    <Loaded query={found}>
      {(ids) => (
        <form key={ids.join()} className="card" onSubmit={submit}>
          <TriggerChoice chosen={ids} mayChange={may('settings.write')} />
          {save.error && <Problem error={save.error} />}
          {may('settings.write') && (
            <div className="actions">
              <button type="submit">{webhooks.saveTriggers}</button>
            </div>
          )}
        </form>
      )}
    </Loaded>
  )
}
