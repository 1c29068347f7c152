import { ChoraleError } from '@chorale/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { navigate, placeIn, usePlace } from '../app/router.tsx'
import { frame, signIn } from '../strings/frame.ts'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, textOf } from '../ui/problem.tsx'
import { type Credentials, signInByPassword, signInMethods } from './sign-in.ts'

export function SignInPage() {
  const { query } = usePlace()
  const returnTo = query.get('returnTo')
  const failure = query.get('error')
  const methods = useQuery({ queryKey: ['sign-in-methods'], queryFn: signInMethods })
  return (
    <main className="alone">
      <p className="brand">{frame.title}</p>
      <PageHead title={signIn.title} {...(returnTo !== null && { about: signIn.ended })} />
      {failure !== null && <p role="alert">{signIn.failures[failure] ?? signIn.failed(failure)}</p>}
      <Loaded query={methods}>
        {({ password, provider }) => (
          <>
            {password && <PasswordForm returnTo={returnTo} />}
            {password && provider && <p className="or">{signIn.or}</p>}
            {provider && (
              <a
                className="button"
                href={`${provider.path}?returnTo=${encodeURIComponent(`/console${placeIn(returnTo)}`)}`}
              >
                {signIn.with(provider.name)}
              </a>
            )}
            {!(password || provider) && <Empty title={signIn.nobody} />}
          </>
        )}
      </Loaded>
      <p className="hint">{signIn.help}</p>
    </main>
  )
}

function PasswordForm({ returnTo }: { readonly returnTo: string | null }) {
  const queryClient = useQueryClient()
  const [needsCode, setNeedsCode] = useState(false)
  const enter = useMutation({
    mutationFn: signInByPassword,
    onError: (error) => {
      if (codeOf(error) === 'ERR_SECOND_FACTOR_NEEDED') setNeedsCode(true)
    },
    onSuccess: () => {
      queryClient.clear()
      navigate(placeIn(returnTo), 'replace')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget))
    enter.mutate(fields as unknown as Credentials)
  }
  const problem = enter.error && codeOf(enter.error) !== 'ERR_SECOND_FACTOR_NEEDED'
  return (
    <form onSubmit={submit}>
      <TextField
        label={signIn.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
      />
      <TextField
        label={signIn.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      {needsCode && (
        <TextField
          label={signIn.code}
          hint={signIn.codeHint}
          name="code"
          autoComplete="one-time-code"
          required
          autoFocus
        />
      )}
      {problem && <p role="alert">{textOfRefusal(enter.error)}</p>}
      <button type="submit" className="primary" disabled={enter.isPending}>
        {enter.isPending ? signIn.submitting : signIn.submit}
      </button>
    </form>
  )
}

function codeOf(error: unknown): string {
  return error instanceof ChoraleError ? error.code : ''
}

function textOfRefusal(error: unknown): string {
  if (codeOf(error) === 'ERR_SIGN_IN_REFUSED') return signIn.refused
  if (error instanceof ChoraleError && error.status === 429) return signIn.tooOften
  return textOf(error)
}
