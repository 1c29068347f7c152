import type { Member } from '@chorale/sdk'
import { memo } from 'react'
import { useMembers } from '../hooks/chat.ts'
import { More } from '../list/more.tsx'
import { useSlot, useStrings } from '../provider/context.ts'
import type { TargetProps } from '../provider/slots.ts'
import { Avatar } from './avatar.tsx'

/** The members of a group, page by page. */
export function MemberList({ target }: TargetProps) {
  const strings = useStrings()
  const members = useMembers(target)
  const Row = useSlot('MemberRow', MemberRow)
  return (
    <div className="chorale chorale-members">
      <ul aria-label={strings.members}>
        {members.items.map((member) => (
          <Row key={member.uid} member={member} />
        ))}
      </ul>
      <More list={members} />
    </div>
  )
}

export const MemberRow = memo(function MemberRow({ member }: { readonly member: Member }) {
  const strings = useStrings()
  const Face = useSlot('Avatar', Avatar)
  const scope = strings.scope[member.scope]
  return (
    <li className="chorale-member">
      <Face name={member.name} image={member.avatar} uid={member.uid} />
      <span className="chorale-member-name">
        <bdi>{member.name}</bdi>
      </span>
      {scope !== '' && <small>{scope}</small>}
    </li>
  )
})
