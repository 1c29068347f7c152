import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { keys } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ShownOnce } from './shown-once.tsx'

export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'keys']
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<string>()
  const found = usePages({
    queryKey,
    read: (page = 1) => client.listApiKeys({ query: { perPage: rowsPerPage, page } }),
    next: nextNumber,
  })
  const revoke = useMutation({
    mutationFn: (apiKey: string) => client.deleteApiKey({ params: { apiKey } }),
    onSuccess: () => {
      toast(keys.revoked)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const onMade = (apiKey: string) => {
    setOpen(false)
    setMade(apiKey)
    void queryClient.invalidateQueries({ queryKey })
  }
  return (
    <>
      <PageHead title={keys.title} about={keys.about}>
        {may('keys.write') && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {keys.create}
          </button>
        )}
      </PageHead>
      {isOpen && <NewKey onMade={onMade} onClose={() => setOpen(false)} />}
      {made !== undefined && (
        <ShownOnce
          title={keys.made}
          text={keys.madeText}
          secret={made}
          onClose={() => setMade(undefined)}
        />
      )}
      {revoke.error && <Problem error={revoke.error} />}
      <Pages of={found}>
        {(pages) => (
          <Table
            label={keys.title}
            head={[keys.name, keys.scope, keys.ends, keys.created, keys.revoke]}
            rows={pages
              .flatMap(({ data }) => data)
              .map(({ apiKey, name, scope, createdAt }) => ({
                key: apiKey,
                cells: [
                  name,
                  keys.scopes[scope],
                  <code key="end">…{apiKey.slice(-4)}</code>,
                  <Time key="time" at={createdAt} />,
                  may('keys.write') && (
                    <ConfirmButton
                      key="revoke"
                      label={keys.revoke}
                      onConfirm={() => revoke.mutate(apiKey)}
                    >
                      {keys.revokeText}
                    </ConfirmButton>
                  ),
                ],
              }))}
          />
        )}
      </Pages>
    </>
  )
}

interface NewKeyProps {
  readonly onMade: (apiKey: string) => void
  readonly onClose: () => void
}

function NewKey({ onMade, onClose }: NewKeyProps) {
  const { client } = useApp()
  const create = useMutation({
    mutationFn: (body: { name: string; scope: 'authOnly' | 'fullAccess' }) =>
      client.createApiKey({ body }),
    onSuccess: ({ data }) => onMade(data.apiKey),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const scope = fields.get('scope') === 'fullAccess' ? 'fullAccess' : 'authOnly'
    create.mutate({ name: String(fields.get('name')), scope })
  }
  return (
    <Dialog title={keys.create} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label={keys.name} name="name" required maxLength={100} />
        <Field label={keys.scope}>
          {(props) => (
            <select {...props} name="scope">
              <option value="authOnly">{keys.scopes.authOnly}</option>
              <option value="fullAccess">{keys.scopes.fullAccess}</option>
            </select>
          )}
        </Field>
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
