import { ChoraleError } from '@chorale/sdk'
import { useEffect, useRef, useState } from 'react'
import { setQuery, usePlace } from '../app/router.tsx'
import { queue as texts } from '../strings/moderation.ts'
import { textWithNames } from '../ui/mentions.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem, textOf } from '../ui/problem.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { CaseView } from './queue/case-view.tsx'
import { DecisionBar } from './queue/decision-bar.tsx'
import { KeyHelp } from './queue/key-help.tsx'
import type { Claimed, Decision, QueueState } from './queue/review-queue.ts'
import { useKeys } from './queue/use-keys.ts'
import { useReviewQueue } from './queue/use-review-queue.ts'

export function Page() {
  const { query } = usePlace()
  const kind = (['blocked', 'flagged'] as const).find((one) => one === query.get('kind'))
  const { queue, state } = useReviewQueue(kind)
  const [place, setPlace] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { held, last } = state
  const nth = Math.min(place, held.length - 1)
  const current = held[nth]
  const chosen = held.filter(({ messageId }) => selected.has(messageId))
  const targets = chosen.length > 0 ? chosen : current ? [current] : []
  const decide = (decision: Decision) => {
    queue.decide(
      targets.map(({ messageId }) => messageId),
      decision,
    )
    setSelected(new Set())
  }
  const toggle = (id: string) => {
    setSelected(
      new Set(selected.has(id) ? [...selected].filter((one) => one !== id) : [...selected, id]),
    )
  }
  useKeys({
    move: (by) => setPlace(Math.max(0, Math.min(nth + by, held.length - 1))),
    decide,
    select: () => current && toggle(current.messageId),
    undo: () => queue.undo(),
  })
  return (
    <>
      <PageHead title={texts.title} about={texts.about}>
        <KindChoice kind={kind} />
        <KeyHelp />
      </PageHead>
      <Status state={state} />
      <DecisionBar targets={targets} last={last} onDecide={decide} onUndo={() => queue.undo()} />
      {state.error !== undefined && (
        <Problem error={state.error} onRetry={() => void queue.claim()} />
      )}
      {!current && state.counts && !state.isClaiming && (
        <Nothing others={state.counts.heldByOthers} />
      )}
      {!current && state.isClaiming && <Waiting />}
      {current && (
        <div className="review">
          <CaseList
            held={held}
            current={current}
            selected={selected}
            onChoose={setPlace}
            onToggle={toggle}
          />
          <CaseView key={current.messageId} claimed={current} />
        </div>
      )}
    </>
  )
}

function KindChoice({ kind }: { readonly kind: 'blocked' | 'flagged' | undefined }) {
  return (
    <select
      aria-label={texts.kind}
      value={kind ?? ''}
      onChange={({ target }) => setQuery({ kind: target.value })}
    >
      <option value="">{texts.kinds.all}</option>
      <option value="blocked">{texts.kinds.blocked}</option>
      <option value="flagged">{texts.kinds.flagged}</option>
    </select>
  )
}

function Status({ state: { counts, refusals } }: { readonly state: QueueState }) {
  return (
    <>
      <p className="hint">{counts && texts.waiting(counts.open, counts.heldByOthers)}</p>
      {refusals.map(({ id, error }) => (
        <p key={id} role="alert">
          {error instanceof ChoraleError && error.code === 'ERR_CASE_CLAIMED'
            ? texts.lost(id)
            : texts.failed(id, textOf(error))}
        </p>
      ))}
    </>
  )
}

function Nothing({ others }: { readonly others: number }) {
  return <Empty title={texts.empty}>{others > 0 ? texts.emptyOthers : texts.emptyText}</Empty>
}

interface CaseListProps {
  readonly held: readonly Claimed[]
  readonly current: Claimed
  readonly selected: ReadonlySet<string>
  readonly onChoose: (place: number) => void
  readonly onToggle: (id: string) => void
}

function CaseList({ held, current, selected, onChoose, onToggle }: CaseListProps) {
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the one that is current has the attribute.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <ul ref={list} className="case-list" aria-label={texts.list}>
      {held.map(({ messageId, message, ruleName, flaggedBy }, place) => (
        <li key={messageId} data-selected={selected.has(messageId) || undefined}>
          <input
            type="checkbox"
            aria-label={texts.select}
            checked={selected.has(messageId)}
            onChange={() => onToggle(messageId)}
          />
          <button
            type="button"
            className="plain"
            aria-current={messageId === current.messageId || undefined}
            onClick={() => onChoose(place)}
          >
            <span>{textWithNames(message.data) ?? texts.noText}</span>
            <small>
              {message.sender} · {ruleName ?? flaggedBy[0]?.reasonName ?? texts.ruleFlags}
            </small>
          </button>
        </li>
      ))}
    </ul>
  )
}
