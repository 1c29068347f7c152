import { memo } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { PresenceText } from '../people/presence-badge.tsx'
import { useSlot, useStrings } from '../provider/context.ts'
import { Icon } from '../provider/icon.tsx'
import type { HeaderProps } from '../provider/slots.ts'
import { useConversationInfo } from './conversation-info.ts'

/** Whom a conversation is with. */
export const ConversationHeader = memo(function ConversationHeader(props: HeaderProps) {
  const { target, onBack, children } = props
  const strings = useStrings()
  const { name, image, membersCount } = useConversationInfo(target)
  const Face = useSlot('Avatar', Avatar)
  const isUser = target.receiverType === 'user'
  return (
    <header className="chorale chorale-header">
      {onBack && (
        <button
          type="button"
          className="chorale-button chorale-back"
          aria-label={strings.back}
          onClick={onBack}
        >
          <Icon name="back" />
        </button>
      )}
      <Face name={name} image={image} />
      <div className="chorale-title">
        <h2 dir="auto">{name}</h2>
        <small>
          {isUser && <PresenceText uid={target.receiver} />}
          {membersCount !== undefined && strings.membersOf(membersCount)}
        </small>
      </div>
      {children}
    </header>
  )
})
