import { rules } from '../../strings/rules.ts'
import { Choice } from './choice.tsx'
import type { Filter } from './draft.ts'

interface FilterRowProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly onRemove: () => void
}

const operators = [
  'equals',
  'not equals',
  'in',
  'not in',
  'startsWith',
  'endsWith',
  'lessThan',
  'greaterThan',
] as const

export function FilterRow({ filter, onChange, onRemove }: FilterRowProps) {
  return (
    <div className="row">
      <Choice
        label={rules.of}
        value={filter.type}
        options={['sender', 'receiver']}
        onChange={(type) => onChange({ ...filter, type })}
      />
      <Choice
        label={rules.kind}
        value={filter.entity}
        options={['user', 'group']}
        onChange={(entity) => onChange({ ...filter, entity })}
      />
      <Choice
        label={rules.field}
        value={filter.operand}
        options={['uid', 'guid', 'name', 'role', 'type', 'tags', 'createdAt']}
        onChange={(operand) => onChange({ ...filter, operand })}
      />
      <Choice
        label={rules.operator}
        value={filter.operator}
        options={[...operators, filter.operator].filter((one, at, all) => all.indexOf(one) === at)}
        onChange={(operator) => onChange({ ...filter, operator })}
      />
      <input
        className="wide"
        aria-label={rules.value}
        value={filter.value}
        required
        onChange={({ target }) => onChange({ ...filter, value: target.value })}
      />
      <button type="button" onClick={onRemove}>
        {rules.remove}
      </button>
    </div>
  )
}
