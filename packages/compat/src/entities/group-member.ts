import type { Member } from '@chorale/sdk'
import { User, type UserFields, userFields } from './user.ts'

/** A user in a group; made with a uid and a scope, it is one to be added. */
export class GroupMember extends User {
  scope: string
  joinedAt?: number

  constructor(uid: string | Partial<UserFields>, scope: string) {
    super(uid)
    this.scope = scope
  }

  getScope(): string {
    return this.scope
  }

  setScope(scope: string): void {
    this.scope = scope
  }

  getJoinedAt(): number | undefined {
    return this.joinedAt
  }
}

export function memberOf(wire: Member): GroupMember {
  const member = new GroupMember(userFields(wire), wire.scope)
  member.joinedAt = wire.joinedAt
  return member
}
