import { webhooks } from '../strings/developers.ts'
import { triggers } from '../strings/triggers.ts'

interface TriggerChoiceProps {
  readonly chosen: readonly string[]
  readonly mayChange: boolean
}

/** All triggers, those that are chosen ticked; each a field `trigger` of the form. */
export function TriggerChoice({ chosen, mayChange }: TriggerChoiceProps) {
  return (
    <details className="triggers" open={chosen.length === 0}>
      <summary>{webhooks.triggersChosen(chosen)}</summary>
      <fieldset disabled={!mayChange}>
        <legend>{webhooks.triggers}</legend>
        {Object.entries(triggers).map(([id, text]) => (
          <label key={id}>
            <input type="checkbox" name="trigger" value={id} defaultChecked={chosen.includes(id)} />
            <span>
              <code>{id}</code> <small>{text}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  )
}
