import { useQuery } from '@tanstack/react-query'
import { useApp } from '../../app/session.tsx'
import { queue } from '../../strings/moderation.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { Said } from './said.tsx'

/** Who they are, what was decided about them, and what they said lately. */
export function SenderRecord({ uid }: { readonly uid: string }) {
  const { appId, client } = useApp()
  const record = useQuery({
    queryKey: [appId, 'record', uid],
    queryFn: async () => {
      const [user, recent] = await Promise.all([
        client.getUser({ params: { uid } }),
        client.listMessages({ query: { sender: uid, category: 'message', limit: 5 } }),
      ])
      return { user: user.data, recent: recent.data }
    },
    staleTime: 60_000,
  })
  const reviewed = useQuery({
    queryKey: [appId, 'reviewed', 1],
    queryFn: () => client.listReviewedMessages({ query: { limit: 100 } }),
    staleTime: 30_000,
  })
  const own = reviewed.data?.data.filter(({ message }) => message.sender === uid) ?? []
  const isBlocked = ({ message }: (typeof own)[number]) =>
    message.data.moderation?.status === 'disapproved'
  const blocked = own.filter(isBlocked).length
  return (
    <Loaded query={record}>
      {({ user, recent }) => (
        <>
          <dl className="facts">
            <dt>{user.name}</dt>
            <dd>
              <code>{user.uid}</code>
            </dd>
            <dt>{queue.role}</dt>
            <dd>{user.role}</dd>
            <dt>{queue.since}</dt>
            <dd>
              <Time at={user.createdAt} />
            </dd>
            {user.deactivatedAt !== undefined && (
              <>
                <dt>{queue.deactivated}</dt>
                <dd>
                  <Time at={user.deactivatedAt} />
                </dd>
              </>
            )}
          </dl>
          <p className="hint">{queue.record(blocked, own.length - blocked)}</p>
          <h3>{queue.recent}</h3>
          <Said messages={recent} />
        </>
      )}
    </Loaded>
  )
}
