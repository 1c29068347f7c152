import { rules } from '../../strings/rules.ts'
import { Choice } from './choice.tsx'
import { type DraftCondition, kinds, operands } from './draft.ts'

interface ConditionRowProps {
  readonly condition: DraftCondition
  readonly onChange: (condition: DraftCondition) => void
  readonly onRemove: () => void
}

export function ConditionRow({ condition, onChange, onRemove }: ConditionRowProps) {
  const { kind, operand, value, disguises } = condition
  const isReference = kind !== 'word' && kind !== 'pattern'
  return (
    <div className="row">
      <Choice
        label={rules.kind}
        value={kind}
        options={kinds}
        names={rules.kinds}
        onChange={(wanted) => onChange({ ...condition, kind: wanted })}
      />
      <Choice
        label={rules.operand}
        value={operand}
        options={operands}
        onChange={(wanted) => onChange({ ...condition, operand: wanted })}
      />
      <input
        className="wide"
        aria-label={rules.value}
        placeholder={isReference ? rules.listIds : kind === 'word' ? rules.words : ''}
        value={value}
        required
        onChange={({ target }) => onChange({ ...condition, value: target.value })}
      />
      {kind !== 'customApi' && kind !== 'openai' && (
        <label className="check">
          <input
            type="checkbox"
            checked={disguises}
            onChange={({ target }) => onChange({ ...condition, disguises: target.checked })}
          />
          {rules.disguises}
        </label>
      )}
      <button type="button" onClick={onRemove}>
        {rules.remove}
      </button>
    </div>
  )
}
