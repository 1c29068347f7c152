import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApp } from '../../app/session.tsx'
import { revisions } from '../../strings/rules.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Rule } from './draft.ts'

interface RevisionsProps {
  readonly rule: Rule
  readonly onRestored: () => Promise<void>
}

/** Two revisions side by side, and the way back to one. */
export function Revisions({ rule, onRestored }: RevisionsProps) {
  const { appId, client } = useApp()
  const params = { ruleId: rule.id }
  const found = useQuery({
    queryKey: [appId, 'rules', rule.id, 'revisions', rule.revisionId],
    queryFn: () => client.listRuleRevisions({ params, query: { limit: 100 } }),
  })
  return (
    <section className="card">
      <h2>{revisions.title}</h2>
      <Loaded query={found}>{({ data }) => <Compared all={data} onRestored={onRestored} />}</Loaded>
    </section>
  )
}

interface ComparedProps {
  readonly all: readonly Rule[]
  readonly onRestored: () => Promise<void>
}

function Compared({ all, onRestored }: ComparedProps) {
  const { client, may } = useApp()
  const [chosen, setChosen] = useState([all[1]?.revisionId, all[0]?.revisionId])
  const [left, right] = chosen.map(
    (id) => all.find(({ revisionId }) => revisionId === id) ?? all[0],
  )
  const restore = useMutation({
    mutationFn: ({ id: ruleId, revisionId }: Rule) =>
      client.restoreRule({ params: { ruleId, revisionId } }),
    onSuccess: () => {
      toast(revisions.restored)
      return onRestored()
    },
  })
  if (!left || !right) return null
  const choice = (place: 0 | 1, label: string) => (
    <select
      aria-label={label}
      value={chosen[place] ?? all[0]?.revisionId}
      onChange={({ target }) => setChosen(chosen.with(place, target.value))}
    >
      {all.map(({ revisionId, active }) => (
        <option key={revisionId} value={revisionId}>
          {revisionId} {active ? `(${revisions.current})` : ''}
        </option>
      ))}
    </select>
  )
  return (
    <>
      <div className="actions">
        {choice(0, revisions.left)}
        {choice(1, revisions.right)}
        {may('moderation.configure') && !left.active && (
          <ConfirmButton label={revisions.restore} onConfirm={() => restore.mutate(left)}>
            {revisions.restoreText}
          </ConfirmButton>
        )}
      </div>
      {restore.error && <Problem error={restore.error} />}
      <Table
        label={revisions.title}
        head={[revisions.field, revisions.left, revisions.right]}
        rows={fields.map((field) => {
          const [a, b] = [left, right].map((rule) => JSON.stringify(rule[field], null, 1))
          return { key: field, cells: [field, a === b ? a : <mark key="a">{a}</mark>, b] }
        })}
      />
    </>
  )
}

const fields = ['name', 'description', 'enabled', 'action', 'conditions', 'filters'] as const
