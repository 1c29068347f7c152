import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly children: (props: { id: string; 'aria-describedby'?: string }) => ReactNode
}

/** A label, what is typed into, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const about = error ?? hint
  const props = { id, ...(about !== undefined && { 'aria-describedby': `${id}-about` }) }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(props)}
      {about !== undefined && (
        <small id={`${id}-about`} data-kind={error === undefined ? 'hint' : 'error'}>
          {about}
        </small>
      )}
    </div>
  )
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'children'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

export function TextField({ label, hint, error, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <input {...input} {...props} />}
    </Field>
  )
}
