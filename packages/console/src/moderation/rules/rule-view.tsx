import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { navigate } from '../../app/router.tsx'
import { useApp } from '../../app/session.tsx'
import { common } from '../../strings/frame.ts'
import { rules } from '../../strings/rules.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { MarkedText } from '../queue/marked-text.tsx'
import { bodyOf, type Draft, draftOf, emptyDraft, type Rule, termsIn } from './draft.ts'
import { DryRun } from './dry-run.tsx'
import { Revisions } from './revisions.tsx'
import { RuleForm } from './rule-form.tsx'
import { useLists } from './use-lists.ts'

export function NewRule() {
  const { appId, client } = useApp()
  const queryClient = useQueryClient()
  const [id, setId] = useState('')
  const save = useMutation({
    mutationFn: (body: object) => client.createRule({ body: { ...body, id } }),
    onSuccess: async ({ data }) => {
      await queryClient.invalidateQueries({ queryKey: [appId, 'rules'] })
      toast(rules.saved)
      navigate(`/apps/${appId}/moderation/rules/${data.id}`)
    },
  })
  return (
    <>
      <PageHead title={rules.create} about={rules.about} />
      <TextField
        label={rules.id}
        hint={rules.idHint}
        value={id}
        required
        onChange={({ target }) => setId(target.value)}
      />
      <Editor start={emptyDraft} onSave={(body) => save.mutate(body)} error={save.error} />
    </>
  )
}

export function RuleView({ ruleId }: { readonly ruleId: string }) {
  const { appId, client } = useApp()
  const params = { ruleId }
  const found = useQuery({
    queryKey: [appId, 'rules', ruleId],
    queryFn: () => client.getRule({ params }),
  })
  return (
    <Loaded query={found}>
      {({ data }) => <ExistingRule key={data.revisionId} rule={data} />}
    </Loaded>
  )
}

function ExistingRule({ rule }: { readonly rule: Rule }) {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const params = { ruleId: rule.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: [appId, 'rules'] })
  const save = useMutation({
    mutationFn: (body: object) => client.updateRule({ params, body }),
    onSuccess: async () => {
      toast(rules.saved)
      await refresh()
    },
  })
  const remove = useMutation({
    mutationFn: () => client.deleteRule({ params }),
    onSuccess: () => {
      toast(rules.removed)
      navigate(`/apps/${appId}/moderation/rules`)
      return refresh()
    },
  })
  return (
    <>
      <PageHead title={rule.name || rule.id} about={<code>{rule.revisionId}</code>}>
        {may('moderation.configure') && !rule.default && (
          <ConfirmButton label={common.remove} onConfirm={() => remove.mutate()}>
            {rules.removeText}
          </ConfirmButton>
        )}
      </PageHead>
      {remove.error && <Problem error={remove.error} />}
      <Editor
        start={draftOf(rule)}
        rule={rule}
        onSave={(body) => save.mutate(body)}
        error={save.error}
      />
      <Revisions rule={rule} onRestored={refresh} />
    </>
  )
}

interface EditorProps {
  readonly start: Draft
  readonly rule?: Rule
  readonly onSave: (body: object) => void
  readonly error: unknown
}

/** The form, what it finds in a text, and what it would have caught. */
function Editor({ start, rule, onSave, error }: EditorProps) {
  const { may } = useApp()
  const [draft, setDraft] = useState(start)
  const lists = useLists()
  const categories = new Map([...lists].map(([id, { category }]) => [id, category]))
  const body = () => bodyOf(draft, categories)
  return (
    <>
      <RuleForm draft={draft} onChange={setDraft} onSave={() => onSave(body())} />
      {error !== null && error !== undefined && <Problem error={error} />}
      <Preview terms={termsIn(draft, lists)} />
      {may('moderation.configure') && <DryRun rule={rule} body={body} />}
    </>
  )
}

function Preview({ terms }: { readonly terms: readonly RegExp[] }) {
  const [text, setText] = useState('')
  const isFound = terms.some((term) => text.search(term) >= 0)
  return (
    <section className="card">
      <Field label={rules.preview} hint={rules.previewHint}>
        {(props) => (
          <textarea {...props} value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      <div role="status">
        {text !== '' && (isFound ? <MarkedText text={text} terms={terms} /> : rules.previewNone)}
      </div>
    </section>
  )
}
