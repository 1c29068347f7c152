import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { common } from '../strings/frame.ts'
import { reasons, rules } from '../strings/rules.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'

export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'reasons']
  const [isOpen, setOpen] = useState(false)
  const found = usePages({
    queryKey,
    read: (page = 1) => client.listReasons({ query: { limit: rowsPerPage, page } }),
    next: nextNumber,
  })
  const done = (text: string) => {
    toast(text)
    setOpen(false)
    return queryClient.invalidateQueries({ queryKey })
  }
  const create = useMutation({
    mutationFn: (body: { id: string; name: string; description: string }) =>
      client.createReason({ body }),
    onSuccess: () => done(reasons.saved),
  })
  const remove = useMutation({
    mutationFn: (id: string) => client.deleteReason({ params: { id } }),
    onSuccess: () => done(reasons.removed),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '')
    create.mutate({ id: text('id'), name: text('name'), description: text('description') })
  }
  const mayChange = may('moderation.configure')
  return (
    <>
      <PageHead title={reasons.title} about={reasons.about}>
        {mayChange && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {reasons.create}
          </button>
        )}
      </PageHead>
      {remove.error && <Problem error={remove.error} />}
      {isOpen && (
        <Dialog title={reasons.create} onClose={() => setOpen(false)}>
          <form onSubmit={submit}>
            <TextField label={reasons.id} hint={rules.idHint} name="id" required />
            <TextField label={reasons.name} name="name" required maxLength={100} />
            <TextField label={reasons.description} name="description" maxLength={255} />
            {create.error && <Problem error={create.error} />}
            <div className="actions">
              <button type="submit" className="primary">
                {common.create}
              </button>
            </div>
          </form>
        </Dialog>
      )}
      <Pages of={found}>
        {(pages) => (
          <Table
            label={reasons.title}
            head={[reasons.name, reasons.id, reasons.description, common.remove]}
            rows={pages
              .flatMap(({ data }) => data)
              .map((reason) => ({
                key: reason.id,
                cells: [
                  reason.name,
                  <code key="id">{reason.id}</code>,
                  reason.description,
                  reason.default || !mayChange ? (
                    rules.standard
                  ) : (
                    <ConfirmButton
                      key="remove"
                      label={common.remove}
                      onConfirm={() => remove.mutate(reason.id)}
                    >
                      {reasons.removeText}
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
