import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { common } from '../strings/frame.ts'
import { lists, rules } from '../strings/rules.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'

type List = OperationOutputs['listKeywordLists']['data'][number]

export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'keyword-lists']
  const [edited, setEdited] = useState<List | 'new'>()
  const found = usePages({
    queryKey,
    read: (page = 1) => client.listKeywordLists({ query: { limit: rowsPerPage, page } }),
    next: nextNumber,
  })
  const remove = useMutation({
    mutationFn: (keywordId: string) => client.deleteKeywordList({ params: { keywordId } }),
    onSuccess: () => {
      toast(lists.removed)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const mayChange = may('moderation.configure')
  return (
    <>
      <PageHead title={lists.title} about={lists.about}>
        {mayChange && (
          <button type="button" className="primary" onClick={() => setEdited('new')}>
            {lists.create}
          </button>
        )}
      </PageHead>
      {remove.error && <Problem error={remove.error} />}
      {edited && <ListForm list={edited} onClose={() => setEdited(undefined)} />}
      <Pages of={found}>
        {(pages) => (
          <Table
            label={lists.title}
            head={[lists.name, lists.id, lists.category, lists.terms, common.edit]}
            rows={pages
              .flatMap(({ data }) => data)
              .map((list) => ({
                key: list.id,
                cells: [
                  list.name,
                  <code key="id">{list.id}</code>,
                  list.category,
                  lists.count(list.searchTerms.length),
                  list.default || !mayChange ? (
                    list.default && rules.standard
                  ) : (
                    <div key="edit" className="actions">
                      {(list.category === 'word' || list.category === 'pattern') && (
                        <button type="button" onClick={() => setEdited(list)}>
                          {common.edit}
                        </button>
                      )}
                      <ConfirmButton label={common.remove} onConfirm={() => remove.mutate(list.id)}>
                        {lists.removeText}
                      </ConfirmButton>
                    </div>
                  ),
                ],
              }))}
          />
        )}
      </Pages>
    </>
  )
}

interface ListFormProps {
  readonly list: List | 'new'
  readonly onClose: () => void
}

function ListForm({ list, onClose }: ListFormProps) {
  const { appId, client } = useApp()
  const queryClient = useQueryClient()
  const known = list === 'new' ? undefined : list
  const save = useMutation({
    mutationFn: ({ id, ...form }: Fields) =>
      known
        ? client.updateKeywordList({ params: { keywordId: known.id }, form })
        : client.createKeywordList({ form: { ...form, id } }),
    onSuccess: () => {
      toast(lists.saved)
      onClose()
      return queryClient.invalidateQueries({ queryKey: [appId, 'keyword-lists'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '')
    const category = text('category') === 'pattern' ? 'pattern' : 'word'
    save.mutate({ id: text('id'), name: text('name'), category, searchTerms: text('terms') })
  }
  return (
    <Dialog title={known ? lists.edit(known.name) : lists.create} onClose={onClose}>
      <form onSubmit={submit}>
        {!known && <TextField label={lists.id} hint={rules.idHint} name="id" required />}
        <TextField label={lists.name} name="name" defaultValue={known?.name} required />
        <Field label={lists.category}>
          {(props) => (
            <select {...props} name="category" defaultValue={known?.category}>
              <option value="word">{lists.categories.word}</option>
              <option value="pattern">{lists.categories.pattern}</option>
            </select>
          )}
        </Field>
        <Field label={lists.terms} hint={lists.termsHint}>
          {(props) => <textarea {...props} name="terms" required defaultValue={termsText(known)} />}
        </Field>
        {save.error && <Problem error={save.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={save.isPending}>
            {common.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface Fields {
  readonly id: string
  readonly name: string
  readonly category: 'word' | 'pattern'
  readonly searchTerms: string
}

function termsText(list: List | undefined): string {
  const quoted = (term: string) => (/[",\n]/.test(term) ? `"${term.replaceAll('"', '""')}"` : term)
  return (list?.searchTerms ?? []).map(quoted).join(', ')
}
