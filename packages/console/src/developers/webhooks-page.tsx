import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { PageProps } from '../app/page-entry.ts'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { webhooks } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { ShownOnce } from './shown-once.tsx'
import { generation, stateOf, WebhookView } from './webhook-view.tsx'

export function Page({ rest: [webhookId] }: PageProps) {
  return webhookId === undefined ? <Webhooks /> : <WebhookView webhookId={webhookId} />
}

function Webhooks() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'webhooks']
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const found = usePages({
    queryKey,
    read: (page = 1) =>
      client.listWebhooks({
        params: { appId },
        headers: generation,
        query: { perPage: rowsPerPage, page },
      }),
    next: nextNumber,
  })
  const onMade = (made: string) => {
    setOpen(false)
    setSecret(made)
    void queryClient.invalidateQueries({ queryKey })
  }
  return (
    <>
      <PageHead title={webhooks.title} about={webhooks.about}>
        {may('settings.write') && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {webhooks.create}
          </button>
        )}
      </PageHead>
      {isOpen && <NewWebhook onMade={onMade} onClose={() => setOpen(false)} />}
      {secret !== undefined && (
        <ShownOnce
          title={webhooks.secret}
          text={webhooks.secretText}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
      <Pages of={found}>
        {(pages) => {
          const all = pages.flatMap(({ data }) => data)
          if (all.length === 0) return <Empty title={webhooks.none}>{webhooks.noneText}</Empty>
          return (
            <Table
              label={webhooks.title}
              head={[webhooks.name, webhooks.url, webhooks.enabled]}
              rows={all.map((webhook) => ({
                key: webhook.id,
                cells: [
                  <Link key="name" to={`/apps/${appId}/webhooks/${webhook.id}`}>
                    {webhook.name}
                  </Link>,
                  <code key="url">{webhook.webhookURL}</code>,
                  stateOf(webhook),
                ],
              }))}
            />
          )
        }}
      </Pages>
    </>
  )
}

interface NewWebhookProps {
  readonly onMade: (secret: string) => void
  readonly onClose: () => void
}

function NewWebhook({ onMade, onClose }: NewWebhookProps) {
  const { appId, client } = useApp()
  const create = useMutation({
    mutationFn: (body: { id: string; name: string; webhookURL: string }) =>
      client.createWebhook({
        params: { appId },
        headers: generation,
        body: { ...body, retryOnFailure: true, triggers: ['message_sent'] },
      }),
    onSuccess: ({ data }) => onMade(data.signingSecret),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name))
    create.mutate({ id: text('id'), name: text('name'), webhookURL: text('url') })
  }
  return (
    <Dialog title={webhooks.create} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label={webhooks.id} name="id" required maxLength={50} />
        <TextField label={webhooks.name} name="name" required maxLength={50} />
        <TextField label={webhooks.url} hint={webhooks.urlHint} name="url" type="url" required />
        {create.error && <Problem error={create.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={create.isPending}>
            {common.create}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
