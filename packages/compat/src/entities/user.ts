import type { User as WireUser } from '@chorale/sdk'
import { fieldsOf } from '../accessors.ts'
import { USER_STATUS } from '../constants.ts'

export interface UserFields {
  uid: string
  name: string
  avatar: string
  link: string
  role: string
  metadata: object
  status: string
  statusMessage: string
  lastActiveAt: number
  tags: string[]
  deactivatedAt: number
  hasBlockedMe: boolean
  blockedByMe: boolean
  authToken: string
}

const Fields = fieldsOf<UserFields>([
  'uid',
  'name',
  'avatar',
  'link',
  'role',
  'metadata',
  'status',
  'statusMessage',
  'lastActiveAt',
  'tags',
  'deactivatedAt',
  'hasBlockedMe',
  'blockedByMe',
  'authToken',
])

export class User extends Fields {
  constructor(uid: string | Partial<UserFields>, name?: string) {
    super()
    if (typeof uid === 'string') this.uid = uid
    else Object.assign(this, uid)
    if (name !== undefined) this.name = name
  }
}

export function userOf(wire: WireUser): User {
  return new User(userFields(wire))
}

/** The service says `available`, this interface `online`. */
export function userFields(wire: WireUser): Partial<UserFields> {
  const status = wire.status === 'available' ? USER_STATUS.ONLINE : USER_STATUS.OFFLINE
  return { ...wire, status }
}

export function statusInQuery(status: string): 'available' | 'offline' {
  return status === USER_STATUS.ONLINE ? 'available' : 'offline'
}

/** What a user has that can be written. */
export function userBody(user: User) {
  const { name, avatar, link, role, metadata, statusMessage, tags } = user
  const all = { name, avatar, link, role, metadata, statusMessage, tags }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
