import { GROUP_MEMBER_SCOPE, GROUP_TYPE } from '../constants.ts'
import { Group, groupBody, groupOf } from '../entities/group.ts'
import type { GroupMember } from '../entities/group-member.ts'
import { ask } from '../session/state.ts'

type GroupType = 'public' | 'password' | 'private'
type Scope = 'admin' | 'moderator' | 'participant'
type Outcomes = Record<string, string>

function bodyOf(group: Group) {
  const { guid, name, password } = group
  // One of `GROUP_TYPE`; the service refuses any other.
  const type = (group.type ?? GROUP_TYPE.PUBLIC) as GroupType
  return { ...groupBody(group), guid, name, type, ...(password && { password }) }
}

export async function createGroup(group: Group): Promise<Group> {
  return groupOf((await ask('createGroup', { body: bodyOf(group) })).data)
}

export async function createGroupWithMembers(
  group: Group,
  members: readonly GroupMember[],
  bannedUids: readonly string[] = [],
): Promise<{ group: Group; members: Outcomes }> {
  const body = { ...bodyOf(group), members: listsOf(members, bannedUids) }
  const { data } = await ask('createGroup', { body })
  return { group: groupOf(data), members: outcomesIn(data) }
}

export async function getGroup(guid: string): Promise<Group> {
  return groupOf((await ask('getGroup', { params: { guid } })).data)
}

/** Name, icon, description, metadata and tags; the type and the password stay. */
export async function updateGroup(group: Group): Promise<Group> {
  const params = { guid: group.guid }
  return groupOf((await ask('updateGroup', { params, body: groupBody(group) })).data)
}

export async function deleteGroup(guid: string): Promise<boolean> {
  return (await ask('deleteGroup', { params: { guid } })).data.success
}

/** With a group, or with its guid, type and password. */
export async function joinGroup(
  group: string | Group,
  _type?: string,
  password?: string,
): Promise<Group> {
  const guid = group instanceof Group ? group.guid : group
  const secret = group instanceof Group ? group.password : password
  await ask('addMembers', { params: { guid }, body: secret ? { password: secret } : {} })
  return getGroup(guid)
}

export async function leaveGroup(guid: string): Promise<boolean> {
  return (await ask('leaveGroup', { params: { guid } })).data.success
}

export async function transferGroupOwnership(guid: string, uid: string): Promise<string> {
  await ask('transferGroupOwnership', { params: { guid }, body: { owner: uid } })
  return `${uid} owns ${guid} now.`
}

/** By uid: `success`, or why not. */
export async function addMembersToGroup(
  guid: string,
  members: readonly GroupMember[],
  bannedUids: readonly string[] | null = [],
): Promise<Outcomes> {
  const body = listsOf(members, bannedUids ?? [])
  return outcomesIn((await ask('addMembers', { params: { guid }, body })).data)
}

function listsOf(members: readonly GroupMember[], bannedUids: readonly string[]) {
  const uidsOf = (scope: string) =>
    members.filter((member) => member.scope === scope).map(({ uid }) => uid)
  const all = {
    admins: uidsOf(GROUP_MEMBER_SCOPE.ADMIN),
    moderators: uidsOf(GROUP_MEMBER_SCOPE.MODERATOR),
    participants: uidsOf(GROUP_MEMBER_SCOPE.PARTICIPANT),
    usersToBan: [...bannedUids],
  }
  return Object.fromEntries(Object.entries(all).filter(([, uids]) => uids.length > 0))
}

type Rows = Readonly<
  Record<string, { readonly success: boolean; readonly error?: { readonly message: string } }>
>

function outcomesIn(answer: {
  readonly admins?: Rows
  readonly moderators?: Rows
  readonly participants?: Rows
  readonly usersToBan?: Rows
}): Outcomes {
  const { admins, moderators, participants, usersToBan } = answer
  const rows = Object.entries({ ...admins, ...moderators, ...participants, ...usersToBan })
  return Object.fromEntries(
    rows.map(([uid, { success, error }]) => [
      uid,
      success ? 'success' : (error?.message ?? 'fail'),
    ]),
  )
}

export async function updateGroupMemberScope(
  guid: string,
  uid: string,
  scope: string,
): Promise<boolean> {
  await ask('changeMemberScope', { params: { guid, uid }, body: { scope: scope as Scope } })
  return true
}

export async function kickGroupMember(guid: string, uid: string): Promise<boolean> {
  return (await ask('kickMember', { params: { guid, uid } })).data.success
}

export async function banGroupMember(guid: string, uid: string): Promise<boolean> {
  return (await ask('banUser', { params: { guid, uid } })).data.success
}

export async function unbanGroupMember(guid: string, uid: string): Promise<boolean> {
  return (await ask('unbanUser', { params: { guid, uid } })).data.success
}

const pageSize = 100

/** The guids of all groups that the user is in. */
export async function getJoinedGroups(): Promise<string[]> {
  const guids: string[] = []
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const query = { hasJoined: true, perPage: pageSize, ...(cursor !== undefined && { cursor }) }
    const { data, meta } = await ask('listGroups', { query })
    guids.push(...data.map(({ guid }) => guid))
    cursor = meta.cursor.next
  }
  return guids
}

export async function getOnlineGroupMemberCount(
  guids: readonly string[],
): Promise<Record<string, number>> {
  const counts = await Promise.all(guids.map(async (guid) => [guid, await onlineIn(guid)] as const))
  return Object.fromEntries(counts)
}

async function onlineIn(guid: string): Promise<number> {
  let count = 0
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = { perPage: pageSize, ...(cursor !== undefined && { cursor }) }
    const query = { status: 'available' as const, ...page }
    const { data, meta } = await ask('listMembers', { params: { guid }, query })
    count += data.length
    cursor = meta.cursor.next
  }
  return count
}
