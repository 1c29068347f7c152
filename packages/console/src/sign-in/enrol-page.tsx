import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense } from 'react'
import { clientOf } from '../app/client.ts'
import { enrol, frame } from '../strings/frame.ts'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'

/** Loaded when it is needed: once for each person. */
const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

export function EnrolPage({ email }: { readonly email: string }) {
  return (
    <main className="alone">
      <p className="brand">{frame.title}</p>
      <PageHead title={enrol.title} about={enrol.intro(email)} />
      <SecondFactor />
    </main>
  )
}

/** The key, a code that shows that it has arrived, and the recovery codes. */
export function SecondFactor() {
  const queryClient = useQueryClient()
  const start = useMutation({ mutationFn: () => clientOf('').startTotp() })
  const confirm = useMutation({
    mutationFn: (code: string) => clientOf('').confirmTotp({ body: { code } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    confirm.mutate(String(new FormData(event.currentTarget).get('code')))
  }
  if (confirm.data) {
    const done = () => void queryClient.invalidateQueries({ queryKey: ['session'] })
    return <RecoveryCodes codes={confirm.data.data.recoveryCodes} onDone={done} />
  }
  if (!start.data) {
    return (
      <>
        {start.error && <Problem error={start.error} />}
        <button type="button" className="primary" onClick={() => start.mutate()}>
          {enrol.start}
        </button>
      </>
    )
  }
  const { secret, uri } = start.data.data
  return (
    <form onSubmit={submit}>
      <Suspense>
        <QrCode text={uri} label={enrol.qr} />
      </Suspense>
      <p>
        {enrol.secret} <code className="secret">{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <p>
        <a href={uri}>{enrol.open}</a>
      </p>
      <TextField
        label={enrol.code}
        name="code"
        inputMode="numeric"
        pattern="[0-9]{6}"
        autoComplete="one-time-code"
        required
        autoFocus
      />
      {confirm.error && <Problem error={confirm.error} />}
      <button type="submit" className="primary" disabled={confirm.isPending}>
        {enrol.confirm}
      </button>
    </form>
  )
}

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  return (
    <>
      <h2>{enrol.codesTitle}</h2>
      <p>{enrol.codesText}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <button type="button" className="primary" onClick={onDone}>
        {enrol.done}
      </button>
    </>
  )
}
