import type { Tour } from './tour.ts'

const hikers = { params: { guid: 'hikers' } } as const
const asAnna = { onBehalfOf: 'anna' } as const
const member = (uid: string) => ({ ...asAnna, params: { guid: 'hikers', uid } })

export async function showGroups({ show, call }: Tour): Promise<void> {
  await show.createGroup({
    ...asAnna,
    body: {
      guid: 'hikers',
      name: 'Weekend hikers',
      type: 'public',
      tags: ['outdoors'],
      members: { moderators: ['ben'], participants: ['chloe'] },
    },
  })
  await show.listGroups({ ...asAnna, query: { searchKey: 'week', perPage: 10 } })
  await show.getGroup({ ...hikers, ...asAnna })
  await show.updateGroup({ ...hikers, ...asAnna, body: { description: 'Every second Saturday.' } })
  await call.createGroup({
    ...asAnna,
    body: { guid: 'old-club', name: 'Old club', type: 'private' },
  })
  await show.deleteGroup({ params: { guid: 'old-club' }, ...asAnna })
}

export async function showMembers({ show, call }: Tour): Promise<void> {
  await show.addMembers({ ...hikers, ...asAnna, body: { participants: ['david'] } })
  await show.listMembers({ ...hikers, query: { perPage: 2 } })
  await show.changeMemberScope({ ...member('chloe'), body: { scope: 'moderator' } })
  await show.kickMember(member('david'))
  await show.banUser(member('david'))
  await show.listBannedUsers({ ...hikers, ...asAnna })
  await show.unbanUser(member('david'))
  await call.addMembers({ ...hikers, body: { participants: ['david', 'fay'] } })
  await show.leaveGroup({ ...hikers, onBehalfOf: 'fay' })
  await show.transferGroupOwnership({ ...hikers, ...asAnna, body: { owner: 'ben' } })
}

export async function showScopePermissions({ show }: Tour): Promise<void> {
  const params = { guid: 'hikers', scope: 'participant' } as const
  await show.setScopePermissions({ params, body: { permissions: { addReaction: 'deny' } } })
  await show.listScopePermissions({ params, query: { perPage: 2 } })
  await show.unsetScopePermission({ params: { ...params, permission: 'addReaction' } })
}
