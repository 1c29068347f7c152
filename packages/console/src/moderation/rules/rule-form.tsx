import { useApp } from '../../app/session.tsx'
import { common } from '../../strings/frame.ts'
import { rules } from '../../strings/rules.ts'
import { TextField } from '../../ui/field.tsx'
import { ConditionRow } from './condition-row.tsx'
import { actions, type Draft, newCondition, newFilter } from './draft.ts'
import { FilterRow } from './filter-row.tsx'

interface RuleFormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly onSave: () => void
}

export function RuleForm({ draft, onChange, onSave }: RuleFormProps) {
  const { may } = useApp()
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      <TextField
        label={rules.name}
        value={draft.name}
        maxLength={100}
        required
        onChange={({ target }) => set({ name: target.value })}
      />
      <TextField
        label={rules.description}
        value={draft.description}
        maxLength={255}
        onChange={({ target }) => set({ description: target.value })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={({ target }) => set({ enabled: target.checked })}
        />
        {rules.enabled}
      </label>
      <Conditions draft={draft} set={set} />
      <Filters draft={draft} set={set} />
      <Actions draft={draft} set={set} />
      {may('moderation.configure') && (
        <div className="actions">
          <button type="submit" className="primary">
            {common.save}
          </button>
        </div>
      )}
    </form>
  )
}

interface PartProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}

function Conditions({ draft: { conditions }, set }: PartProps) {
  return (
    <fieldset>
      <legend>{rules.conditions}</legend>
      <p className="hint">{rules.conditionsHint}</p>
      {conditions.map((condition, nth) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no name but their place.
          key={nth}
          condition={condition}
          onChange={(changed) => set({ conditions: conditions.with(nth, changed) })}
          onRemove={() => set({ conditions: conditions.toSpliced(nth, 1) })}
        />
      ))}
      <button type="button" onClick={() => set({ conditions: [...conditions, newCondition] })}>
        {rules.addCondition}
      </button>
    </fieldset>
  )
}

function Filters({ draft: { filters }, set }: PartProps) {
  return (
    <fieldset>
      <legend>{rules.filters}</legend>
      <p className="hint">{rules.filtersHint}</p>
      {filters.map((filter, nth) => (
        <FilterRow
          // biome-ignore lint/suspicious/noArrayIndexKey: filters have no name but their place.
          key={nth}
          filter={filter}
          onChange={(changed) => set({ filters: filters.with(nth, changed) })}
          onRemove={() => set({ filters: filters.toSpliced(nth, 1) })}
        />
      ))}
      <button type="button" onClick={() => set({ filters: [...filters, newFilter] })}>
        {rules.addFilter}
      </button>
    </fieldset>
  )
}

function Actions({ draft: { action }, set }: PartProps) {
  return (
    <fieldset>
      <legend>{rules.actions}</legend>
      {actions.map((one) => (
        <label key={one} className="check">
          <input
            type="checkbox"
            checked={action.includes(one)}
            onChange={({ target }) =>
              set({
                action: target.checked ? [...action, one] : action.filter((had) => had !== one),
              })
            }
          />
          {rules.actionNames[one]}
        </label>
      ))}
    </fieldset>
  )
}
