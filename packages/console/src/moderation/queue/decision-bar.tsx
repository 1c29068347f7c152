import { queue } from '../../strings/moderation.ts'
import {
  type Claimed,
  type Decision,
  decisions,
  isPossible,
  type QueueState,
} from './review-queue.ts'

interface DecisionBarProps {
  readonly targets: readonly Claimed[]
  readonly last: QueueState['last']
  readonly onDecide: (decision: Decision) => void
  readonly onUndo: () => void
}

export function DecisionBar({ targets, last, onDecide, onUndo }: DecisionBarProps) {
  return (
    <div className="decisions">
      <div className="actions">
        {decisions.map((decision) => (
          <button
            key={decision}
            type="button"
            className={decision === 'approve' ? 'primary' : 'danger'}
            disabled={!targets.some((claimed) => isPossible(decision, claimed))}
            onClick={() => onDecide(decision)}
          >
            {queue.decisions[decision]}
          </button>
        ))}
        {targets.length > 1 && <span>{queue.selected(targets.length)}</span>}
      </div>
      <div role="status" className="actions">
        {last && (
          <>
            <span>
              {queue.done[last.decision]}
              {last.count > 1 ? ` (${last.count})` : ''}
            </span>
            <button type="button" onClick={onUndo}>
              {queue.undo}
            </button>
          </>
        )}
      </div>
    </div>
  )
}
