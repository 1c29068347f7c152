import { EnrolPage } from '../sign-in/enrol-page.tsx'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { frame } from '../strings/frame.ts'
import { Problem } from '../ui/problem.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { Frame } from './frame.tsx'
import { isSignedOut } from './query-client.ts'
import { usePlace } from './router.tsx'
import { SelfContext, useSessionQuery } from './session.tsx'

export function Console() {
  const { path } = usePlace()
  const isSignIn = path === '/sign-in'
  const session = useSessionQuery(!isSignIn)
  if (isSignIn) return <SignInPage />
  if (session.data?.mustEnrol) return <EnrolPage email={session.data.email} />
  if (session.data) {
    return (
      <SelfContext value={session.data}>
        <Frame />
      </SelfContext>
    )
  }
  const isWaiting = session.isPending || isSignedOut(session.error)
  return (
    <main className="alone">
      <h1>{frame.title}</h1>
      {isWaiting ? (
        <Waiting />
      ) : (
        <Problem error={session.error} onRetry={() => void session.refetch()} />
      )}
    </main>
  )
}
