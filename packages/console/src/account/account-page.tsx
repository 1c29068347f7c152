import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { clientOf } from '../app/client.ts'
import { navigate } from '../app/router.tsx'
import { useSelf } from '../app/session.tsx'
import { SecondFactor } from '../sign-in/enrol-page.tsx'
import { account } from '../strings/frame.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

export function AccountPage() {
  const { name, email, hasPassword, hasSecondFactor } = useSelf()
  const queryClient = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => clientOf('').revokeSession({ params: { sessionId: 'current' } }),
    onSuccess: () => {
      navigate('/sign-in', 'replace')
      queryClient.clear()
    },
  })
  return (
    <>
      <PageHead title={account.title} about={`${name}, ${email}`}>
        <button type="button" onClick={() => signOut.mutate()}>
          {account.signOut}
        </button>
      </PageHead>
      {signOut.error && <Problem error={signOut.error} />}
      <Sessions />
      {hasPassword && <Password />}
      {hasPassword && (
        <section className="card">
          <h2>{account.factor}</h2>
          <p>{hasSecondFactor ? account.factorOn : account.factorOff}</p>
          {!hasSecondFactor && <SecondFactor />}
        </section>
      )}
    </>
  )
}

function Sessions() {
  const queryClient = useQueryClient()
  const queryKey = ['sessions']
  const sessions = useQuery({ queryKey, queryFn: () => clientOf('').listSessions() })
  const end = useMutation({
    mutationFn: (sessionId: string) => clientOf('').revokeSession({ params: { sessionId } }),
    onSuccess: () => {
      toast(account.ended)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <section className="card">
      <h2>{account.sessions}</h2>
      <p>{account.sessionsText}</p>
      {end.error && <Problem error={end.error} />}
      <Loaded query={sessions}>
        {({ data }) => (
          <Table
            label={account.sessions}
            head={[account.browser, account.address, account.lastUsed, account.end]}
            rows={data.map(({ id, userAgent, address, lastUsedAt, current }) => ({
              key: id,
              cells: [
                userAgent,
                address,
                <Time key="time" at={lastUsedAt} />,
                current ? (
                  account.current
                ) : (
                  <button key="end" type="button" onClick={() => end.mutate(id)}>
                    {account.end}
                  </button>
                ),
              ],
            }))}
          />
        )}
      </Loaded>
      <ConfirmButton label={account.endOthers} onConfirm={() => end.mutate('others')}>
        {account.endOthersText}
      </ConfirmButton>
    </section>
  )
}

function Password() {
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: (body: { password: string; newPassword: string }) =>
      clientOf('').changePassword({ body }),
    onSuccess: () => {
      form.current?.reset()
      toast(account.changed)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const [password, newPassword] = ['password', 'newPassword'].map((name) => fields.get(name))
    change.mutate({ password: String(password), newPassword: String(newPassword) })
  }
  return (
    <section className="card">
      <h2>{account.password}</h2>
      <form ref={form} onSubmit={submit}>
        <TextField
          label={account.present}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <TextField
          label={account.wanted}
          hint={account.wantedHint}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
        />
        {change.error && <Problem error={change.error} />}
        <button type="submit" disabled={change.isPending}>
          {account.change}
        </button>
      </form>
    </section>
  )
}
