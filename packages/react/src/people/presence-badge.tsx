import { usePresence } from '../hooks/chat.ts'
import { useStrings } from '../provider/context.ts'

/** Whether a user is online. When that changes, nothing else renders. */
export function PresenceBadge({ uid }: { readonly uid: string }) {
  const strings = useStrings()
  const isOnline = usePresence(uid)?.status === 'available'
  return (
    <span
      className="chorale-presence"
      data-online={isOnline || undefined}
      role="img"
      aria-label={isOnline ? strings.online : strings.offline}
    />
  )
}

/** The same in words. */
export function PresenceText({ uid }: { readonly uid: string }) {
  const strings = useStrings()
  const presence = usePresence(uid)
  if (!presence) return null
  return <>{presence.status === 'available' ? strings.online : strings.offline}</>
}
