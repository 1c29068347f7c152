import type { Group as WireGroup } from '@chorale/sdk'
import { fieldsOf } from '../accessors.ts'

export interface GroupFields {
  guid: string
  name: string
  type: string
  password: string
  icon: string
  description: string
  owner: string
  metadata: object
  createdAt: number
  updatedAt: number
  hasJoined: boolean
  joinedAt: number
  scope: string
  membersCount: number
  tags: string[]
}

const Fields = fieldsOf<GroupFields>([
  'guid',
  'name',
  'type',
  'password',
  'icon',
  'description',
  'owner',
  'metadata',
  'createdAt',
  'updatedAt',
  'hasJoined',
  'joinedAt',
  'scope',
  'membersCount',
  'tags',
])

export class Group extends Fields {
  constructor(
    guid: string | Partial<GroupFields>,
    name?: string,
    type?: string,
    password?: string,
    icon?: string,
    description?: string,
  ) {
    super()
    const given =
      typeof guid === 'string' ? { guid, name, type, password, icon, description } : guid
    for (const [field, value] of Object.entries(given)) {
      if (value !== undefined && value !== '') Object.assign(this, { [field]: value })
    }
  }

  isJoined(): boolean {
    return this.hasJoined
  }
}

export function groupOf(wire: WireGroup): Group {
  return new Group({ ...wire } as Partial<GroupFields>)
}

/** What a group has that can be written. */
export function groupBody(group: Group) {
  const { name, icon, description, metadata, tags } = group
  return Object.fromEntries(
    Object.entries({ name, icon, description, metadata, tags }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}
