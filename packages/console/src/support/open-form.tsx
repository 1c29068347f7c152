import type { FormEvent } from 'react'
import { navigate } from '../app/router.tsx'
import { TextField } from '../ui/field.tsx'

interface OpenFormProps {
  readonly label: string
  readonly hint?: string
  readonly button: string
  readonly pattern?: string
  readonly placeOf: (id: string) => string
}

/** Leads to the page of what is named. */
export function OpenForm({ label, hint, button, pattern, placeOf }: OpenFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('id')).trim()
    if (id !== '') navigate(placeOf(id))
  }
  return (
    <form onSubmit={submit}>
      <TextField label={label} hint={hint} name="id" required maxLength={250} pattern={pattern} />
      <div className="actions">
        <button type="submit" className="primary">
          {button}
        </button>
      </div>
    </form>
  )
}
