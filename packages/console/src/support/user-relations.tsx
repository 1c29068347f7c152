import { useQuery } from '@tanstack/react-query'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { findUsers, userPage } from '../strings/support.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Time } from '../ui/time.tsx'
import { conversationPlace, userPlace } from './places.ts'
import { List } from './user-lists.tsx'

interface OfUid {
  readonly uid: string
}

export function Conversations({ uid }: OfUid) {
  const { appId, client } = useApp()
  const conversations = useQuery({
    queryKey: [appId, 'support', 'conversations', uid],
    queryFn: () => client.listConversationsOfUser({ params: { uid }, query: { limit: 50 } }),
  })
  return (
    <Loaded query={conversations}>
      {({ data }) => (
        <List
          title={userPage.conversations}
          none={userPage.noConversations}
          head={[userPage.with, userPage.lastMessage, userPage.unread]}
          rows={data.map((row) => ({
            key: row.conversationId,
            cells: [
              <Link key="with" to={conversationPlace(appId, row.conversationId)}>
                {row.withName}
              </Link>,
              row.lastMessageAt === undefined ? '' : <Time key="last" at={row.lastMessageAt} />,
              row.unreadMessageCount,
            ],
          }))}
        />
      )}
    </Loaded>
  )
}

export function Blocks({ uid }: OfUid) {
  const { appId, client } = useApp()
  const blocks = useQuery({
    queryKey: [appId, 'support', 'blocks', uid],
    queryFn: () =>
      client.listBlockedUsers({ params: { uid }, query: { direction: 'both', perPage: 100 } }),
  })
  return (
    <Loaded query={blocks}>
      {({ data }) => (
        <List
          title={userPage.blocks}
          none={userPage.noBlocks}
          head={[findUsers.name, userPage.direction]}
          rows={data.map((other) => ({
            key: other.uid,
            cells: [
              <Link key="name" to={userPlace(appId, other.uid)}>
                {other.name}
              </Link>,
              [
                ...(other.blockedByMe ? [userPage.blocked] : []),
                ...(other.hasBlockedMe ? [userPage.blockedBy] : []),
              ].join(', '),
            ],
          }))}
        />
      )}
    </Loaded>
  )
}
