import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { providers } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { PushTest } from './push-trial.tsx'

export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'push-providers']
  const [isOpen, setOpen] = useState(false)
  const found = useQuery({
    queryKey,
    queryFn: async () => {
      const [fcm, apns] = await Promise.all([client.listFcmProviders(), client.listApnsProviders()])
      return { fcm: fcm.data.pushProviders, apns: apns.data.pushProviders }
    },
  })
  const change = useMutation({
    mutationFn: async (call: () => Promise<unknown>) => call(),
    onSuccess: () => {
      toast(providers.saved)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const buttons = (isDefault: boolean, calls: Calls, test: ReactNode): ReactNode =>
    may('settings.write') && (
      <div key="change" className="actions">
        {test}
        {!isDefault && (
          <button type="button" onClick={() => change.mutate(calls.makeDefault)}>
            {providers.makeDefault}
          </button>
        )}
        <ConfirmButton label={common.remove} onConfirm={() => change.mutate(calls.remove)}>
          {providers.removeText}
        </ConfirmButton>
      </div>
    )
  return (
    <>
      <PageHead title={providers.title} about={providers.about}>
        {may('settings.write') && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {providers.create}
          </button>
        )}
      </PageHead>
      {isOpen && <NewFcm onClose={() => setOpen(false)} />}
      {change.error && <Problem error={change.error} />}
      <Loaded query={found}>
        {({ fcm, apns }) => (
          <>
            <Accounts
              title={providers.fcm}
              detail={providers.project}
              rows={fcm.map(({ providerId, serviceAccountCreds, isDefault }) => ({
                id: providerId,
                detail: serviceAccountCreds?.project_id ?? '',
                isDefault,
                change: buttons(
                  isDefault,
                  {
                    makeDefault: () => client.setDefaultFcmProvider({ params: { providerId } }),
                    remove: () => client.deleteFcmProvider({ params: { providerId } }),
                  },
                  <PushTest kind="fcm" providerId={providerId} />,
                ),
              }))}
            />
            <Accounts
              title={providers.apns}
              detail={providers.bundle}
              rows={apns.map(({ providerId, bundleId, isDefault }) => ({
                id: providerId,
                detail: bundleId ?? '',
                isDefault,
                change: buttons(
                  isDefault,
                  {
                    makeDefault: () => client.setDefaultApnsProvider({ params: { providerId } }),
                    remove: () => client.deleteApnsProvider({ params: { providerId } }),
                  },
                  <PushTest kind="apns" providerId={providerId} />,
                ),
              }))}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

interface Calls {
  readonly makeDefault: () => Promise<unknown>
  readonly remove: () => Promise<unknown>
}

interface AccountsProps {
  readonly title: string
  readonly detail: string
  readonly rows: readonly { id: string; detail: string; isDefault: boolean; change: ReactNode }[]
}

function Accounts({ title, detail, rows }: AccountsProps) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <Empty title={providers.none}>{providers.noneText}</Empty>
      ) : (
        <Table
          label={title}
          head={[providers.id, detail, providers.isDefault, common.edit]}
          rows={rows.map((row) => ({
            key: row.id,
            cells: [row.id, row.detail, row.isDefault ? common.yes : common.no, row.change],
          }))}
        />
      )}
    </section>
  )
}

function NewFcm({ onClose }: { readonly onClose: () => void }) {
  const { appId, client } = useApp()
  const queryClient = useQueryClient()
  const [isBad, setBad] = useState(false)
  const create = useMutation({
    mutationFn: (body: Parameters<typeof client.createFcmProvider>[0]['body']) =>
      client.createFcmProvider({ body }),
    onSuccess: () => {
      toast(providers.saved)
      onClose()
      return queryClient.invalidateQueries({ queryKey: [appId, 'push-providers'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const serviceAccountCreds = accountIn(String(fields.get('account')))
    setBad(serviceAccountCreds === undefined)
    if (!serviceAccountCreds) return
    create.mutate({ providerId: String(fields.get('id')), serviceAccountCreds })
  }
  return (
    <Dialog title={providers.create} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label={providers.id} name="id" required />
        <Field
          label={providers.account}
          hint={providers.accountHint}
          error={isBad ? providers.badAccount : undefined}
        >
          {(props) => <textarea {...props} name="account" required />}
        </Field>
        {create.error && <Problem error={create.error} />}
        <div className="actions">
          <button type="submit" className="primary">
            {common.create}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function accountIn(text: string) {
  try {
    const { project_id, client_email, private_key } = JSON.parse(text)
    const all = [project_id, client_email, private_key]
    return all.every((one) => typeof one === 'string')
      ? { project_id, client_email, private_key }
      : undefined
  } catch {
    return undefined
  }
}
