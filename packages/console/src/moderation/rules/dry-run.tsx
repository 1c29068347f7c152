import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApp } from '../../app/session.tsx'
import { dryRun as texts } from '../../strings/rules.ts'
import { Problem } from '../../ui/problem.tsx'
import { Choice } from './choice.tsx'
import type { Rule } from './draft.ts'
import { Match } from './match.tsx'

type Run = OperationOutputs['getDryRun']['data']

interface DryRunProps {
  /** Undefined: it is not saved yet. */
  readonly rule: Rule | undefined
  readonly body: () => object
}

const dayChoices = ['1', '7', '30', '90'] as const
const askEveryMs = 700

/** What the form would have caught, beside what the rule in force does. */
export function DryRun({ rule, body }: DryRunProps) {
  const { appId, client } = useApp()
  const [days, setDays] = useState<(typeof dayChoices)[number]>('7')
  const [shown, setShown] = useState<keyof typeof texts.shows>('')
  const start = useMutation({
    mutationFn: () =>
      rule
        ? client.dryRunRule({
            params: { ruleId: rule.id },
            body: { days: Number(days), draft: body(), compareWith: rule.revisionId },
          })
        : client.dryRunDraft({ body: { days: Number(days), draft: body() } }),
  })
  const dryRunId = start.data?.data.id ?? ''
  const run = useQuery({
    queryKey: [appId, 'dry-run', dryRunId, shown],
    queryFn: () =>
      client.getDryRun({
        params: { dryRunId },
        query: { limit: 50, ...(shown !== '' && { caughtBy: shown }) },
      }),
    enabled: dryRunId !== '',
    refetchInterval: ({ state }) => (isOver(state.data?.data) ? false : askEveryMs),
  })
  const cancel = useMutation({
    mutationFn: () => client.cancelDryRun({ params: { dryRunId } }),
    onSettled: () => run.refetch(),
  })
  const error = start.error ?? run.error ?? cancel.error
  const result = run.data?.data
  return (
    <section className="card">
      <h2>{texts.title}</h2>
      <p>{texts.about}</p>
      <div className="actions">
        <Choice
          label={texts.days}
          value={days}
          options={dayChoices}
          names={texts.dayNames}
          onChange={setDays}
        />
        <button type="button" disabled={start.isPending} onClick={() => start.mutate()}>
          {texts.start}
        </button>
        {result && !isOver(result) && (
          <button type="button" onClick={() => cancel.mutate()}>
            {texts.cancel}
          </button>
        )}
      </div>
      {error && <Problem error={error} />}
      {result && <Result run={result} shown={shown} onShow={setShown} />}
    </section>
  )
}

function isOver(run: Run | undefined): boolean {
  return run !== undefined && run.status !== 'waiting' && run.status !== 'running'
}

interface ResultProps {
  readonly run: Run
  readonly shown: keyof typeof texts.shows
  readonly onShow: (shown: keyof typeof texts.shows) => void
}

function Result({ run, shown, onShow }: ResultProps) {
  const { status, progress, counts, matches, rules } = run
  const isDiff = rules.b !== undefined
  return (
    <>
      <p role="status">
        {texts.statuses[status]}: {texts.progress(progress.scanned, progress.total)}
      </p>
      <progress
        aria-label={texts.title}
        max={Math.max(progress.total, progress.scanned, 1)}
        value={isOver(run) ? Math.max(progress.total, progress.scanned, 1) : progress.scanned}
      />
      {isDiff ? (
        <ul>
          <li>{texts.onlyA(counts.onlyA)}</li>
          <li>{texts.onlyB(counts.onlyB)}</li>
          <li>{texts.both(counts.both)}</li>
        </ul>
      ) : (
        <p>{texts.caught(counts.caught)}</p>
      )}
      {isDiff && (
        <Choice
          label={texts.show}
          value={shown}
          options={['', 'a', 'b', 'both']}
          names={texts.shows}
          onChange={onShow}
        />
      )}
      {isOver(run) && counts.caught === 0 && <p>{texts.none}</p>}
      <ul className="matches">
        {matches.map((match) => (
          <Match key={match.messageId} match={match} />
        ))}
      </ul>
    </>
  )
}
