import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { findUsers, sendAsApp, userPage } from '../strings/support.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import type { SupportedUser } from './supported-user.ts'
import { Devices, Groups, Pushes, SignIns } from './user-lists.tsx'
import { Blocks, Conversations } from './user-relations.tsx'

/** All that support needs to know of a user. */
export function UserPage({ uid }: { readonly uid: string }) {
  const { appId, client, may } = useApp()
  const queryKey = [appId, 'support', 'user', uid]
  const user = useQuery({ queryKey, queryFn: () => client.getSupportedUser({ params: { uid } }) })
  return (
    <Loaded query={user}>
      {({ data }) => (
        <>
          <PageHead title={data.name} about={<code>{data.uid}</code>}>
            <Link className="button" to={`/apps/${appId}/support/users`}>
              {userPage.back}
            </Link>
            {may('messages.send') && (
              <Link
                className="button"
                to={`/apps/${appId}/support/send/${encodeURIComponent(uid)}`}
              >
                {sendAsApp.title}
              </Link>
            )}
            {may('users.restrict') && <SignOut uid={uid} queryKey={queryKey} />}
          </PageHead>
          <Profile user={data} />
          <Devices user={data} />
          <Pushes user={data} />
          {may('messages.read') && <Conversations uid={uid} />}
          <Groups user={data} />
          <Blocks uid={uid} />
          <SignIns user={data} />
        </>
      )}
    </Loaded>
  )
}

function Profile({ user }: { readonly user: SupportedUser }) {
  const { online, lastActiveAt, createdAt, deactivatedAt, role, email, phone } = user
  return (
    <section className="card">
      <Facts
        of={{
          [userPage.state]: online ? userPage.online : userPage.offline,
          [userPage.lastActive]:
            lastActiveAt === undefined ? userPage.never : <Time at={lastActiveAt} />,
          [findUsers.email]: email,
          [userPage.phone]: phone,
          [userPage.role]: role,
          [userPage.created]: <Time at={createdAt} />,
          [userPage.deactivatedAt]:
            deactivatedAt === undefined ? undefined : <Time at={deactivatedAt} />,
        }}
      />
    </section>
  )
}

interface SignOutProps {
  readonly uid: string
  readonly queryKey: readonly string[]
}

function SignOut({ uid, queryKey }: SignOutProps) {
  const { client } = useApp()
  const queryClient = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => client.deleteAuthTokens({ params: { uid } }),
    onSuccess: () => {
      toast(userPage.signedOut)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <>
      <ConfirmButton label={userPage.signOut} onConfirm={() => signOut.mutate()}>
        {userPage.signOutText}
      </ConfirmButton>
      {signOut.error && <Problem error={signOut.error} />}
    </>
  )
}
