import { expect } from 'vitest'
import { heard, type Snippets } from './context.ts'

export const groups: Snippets = {
  'create a public group': async ({ CometChat }) => {
    const group = new CometChat.Group('team', 'Team', CometChat.GROUP_TYPE.PUBLIC, '')
    group.setDescription('everybody')
    group.setIcon('https://pictures.example/team.png')
    group.setMetadata({ floor: 1 })
    group.setTags(['work'])
    const created = await CometChat.createGroup(group)
    expect(created.getGuid()).toBe('team')
    expect(created.getName()).toBe('Team')
    expect(created.getType()).toBe('public')
    expect(created.getOwner()).toBe('ann')
    expect(created.getScope()).toBe(CometChat.GROUP_MEMBER_SCOPE.ADMIN)
    expect([created.getHasJoined(), created.isJoined()]).toEqual([true, true])
    expect(created.getMembersCount()).toBe(1)
  },

  'create a group with members': async ({ CometChat }) => {
    const group = new CometChat.Group('club', 'Club', CometChat.GROUP_TYPE.PRIVATE)
    const members = [
      new CometChat.GroupMember('bob', CometChat.GROUP_MEMBER_SCOPE.PARTICIPANT),
      new CometChat.GroupMember('nobody', CometChat.GROUP_MEMBER_SCOPE.PARTICIPANT),
    ]
    const result = await CometChat.createGroupWithMembers(group, members, ['erin'])
    expect(result.group.getGuid()).toBe('club')
    expect(result.members).toMatchObject({ bob: 'success', erin: 'success' })
    expect(result.members.nobody).not.toBe('success')
  },

  'join a group with a password': async ({ CometChat, app }) => {
    await app.given.group('vault', { type: 'password', password: 'secret', owner: 'bob' })
    const { PASSWORD } = CometChat.GROUP_TYPE
    await expect(CometChat.joinGroup('vault', PASSWORD, 'wrong')).rejects.toMatchObject({
      code: 'ERR_WRONG_GROUP_PASS',
    })
    const group = await CometChat.joinGroup('vault', PASSWORD, 'secret')
    expect(group.getHasJoined()).toBe(true)
    expect(group.getJoinedAt()).toBeGreaterThan(0)
    expect(await CometChat.leaveGroup('vault')).toBe(true)
    const same = new CometChat.Group('vault', '', PASSWORD)
    same.setPassword('secret')
    expect(same.getPassword()).toBe('secret')
    expect((await CometChat.joinGroup(same)).getGuid()).toBe('vault')
    expect((await CometChat.getJoinedGroups()).toSorted()).toEqual(['club', 'team', 'vault'])
  },

  'get a group and change it': async ({ CometChat }) => {
    const group = await CometChat.getGroup('team')
    expect(group.getDescription()).toBe('everybody')
    expect(group.getIcon()).toBe('https://pictures.example/team.png')
    expect(group.getMetadata()).toEqual({ floor: 1 })
    group.setName('The team')
    const updated = await CometChat.updateGroup(group)
    expect(updated.getName()).toBe('The team')
    expect(updated.getUpdatedAt()).toBeGreaterThanOrEqual(updated.getCreatedAt())
  },

  'list groups': async ({ CometChat }) => {
    const guids = async (request: { fetchNext(): Promise<{ guid: string }[]> }) =>
      (await request.fetchNext()).map(({ guid }) => guid).toSorted()
    const builder = () => new CometChat.GroupsRequestBuilder().setLimit(30)
    expect(builder().build().getLimit()).toBe(30)
    expect(await guids(builder().joinedOnly(true).build())).toEqual(['club', 'team', 'vault'])
    expect(await guids(builder().setSearchKeyword('team').build())).toEqual(['team'])
    const [team] = await builder().setTags(['work']).withTags(true).build().fetchNext()
    expect(team?.getTags()).toEqual(['work'])
  },

  'add members, and ban some at once': async ({ CometChat }) => {
    const members = [
      new CometChat.GroupMember('bob', CometChat.GROUP_MEMBER_SCOPE.MODERATOR),
      new CometChat.GroupMember('cara', CometChat.GROUP_MEMBER_SCOPE.PARTICIPANT),
    ]
    const response = await CometChat.addMembersToGroup('team', members, ['erin'])
    expect(response).toEqual({ bob: 'success', cara: 'success', erin: 'success' })
  },

  'list members by scope, words and status': async ({ CometChat }) => {
    const builder = () => new CometChat.GroupMembersRequestBuilder('team').setLimit(10)
    expect(builder().build().getLimit()).toBe(10)
    const all = await builder().build().fetchNext()
    expect(all.map((member) => `${member.getUid()} ${member.getScope()}`).toSorted()).toEqual([
      'ann admin',
      'bob moderator',
      'cara participant',
    ])
    expect(all[0]?.getJoinedAt()).toBeGreaterThan(0)
    const [bob] = await builder().setScopes(['moderator']).build().fetchNext()
    expect(bob?.getUid()).toBe('bob')
    const [cara] = await builder().setSearchKeyword('cara').build().fetchNext()
    expect(cara?.getUid()).toBe('cara')
    const online = await builder().setStatus(CometChat.USER_STATUS.ONLINE).build().fetchNext()
    expect(online.map(({ uid }) => uid)).toEqual(['ann'])
    expect(await CometChat.getOnlineGroupMemberCount(['team'])).toEqual({ team: 1 })
  },

  'change the scope of a member': async ({ CometChat }) => {
    const { PARTICIPANT } = CometChat.GROUP_MEMBER_SCOPE
    expect(await CometChat.updateGroupMemberScope('team', 'bob', PARTICIPANT)).toBe(true)
    await expect(
      CometChat.updateGroupMemberScope('team', 'bob', PARTICIPANT),
    ).rejects.toMatchObject({ code: 'ERR_SAME_SCOPE' })
  },

  'kick, ban and unban members': async ({ CometChat, full }) => {
    expect(await CometChat.kickGroupMember('team', 'cara')).toBe(true)
    await full.addMembers({ params: { guid: 'team' }, body: {}, onBehalfOf: 'cara' })
    expect(await CometChat.banGroupMember('team', 'cara')).toBe(true)
    const banned = new CometChat.BannedMembersRequestBuilder('team').setLimit(30)
    expect(banned.build().getLimit()).toBe(30)
    const rows = await banned.build().fetchNext()
    expect(rows.map((user) => user.getUid()).toSorted()).toEqual(['cara', 'erin'])
    const found = await banned.setSearchKeyword('cara').build().fetchNext()
    expect(found.map((user) => user.getUid())).toEqual(['cara'])
    expect(await CometChat.unbanGroupMember('team', 'cara')).toBe(true)
  },

  'hear what happens to the members of a group': async ({ CometChat, full }) => {
    const events: string[] = []
    CometChat.addGroupListener(
      'GROUPS',
      new CometChat.GroupListener({
        onGroupMemberJoined: (message, user, group) =>
          events.push(`${message.getAction()} ${user.getUid()} ${group.getGuid()}`),
        onGroupMemberLeft: (message, user) => events.push(`${message.action} ${user.uid}`),
        onGroupMemberScopeChanged: (message, user, newScope, oldScope, group) => {
          expect([message.getNewScope(), message.getOldScope()]).toEqual([newScope, oldScope])
          events.push(`${user.uid} ${oldScope} ${newScope} ${group.guid}`)
        },
        onMemberAddedToGroup: (message, added, by) => {
          expect(message.getActionBy()?.uid).toBe(by.uid)
          events.push(`${by.uid} added ${added.uid}`)
        },
        onGroupMemberKicked: (message, kicked, by, group) => {
          expect(message.getActionOn()).toMatchObject({ uid: kicked.uid })
          expect(message.getActionFor()).toMatchObject({ guid: group.guid })
          events.push(`${by.uid} kicked ${kicked.uid}`)
        },
        onGroupMemberBanned: (_, banned, by) => events.push(`${by.uid} banned ${banned.uid}`),
        onGroupMemberUnbanned: (_, user, by) => events.push(`${by.uid} unbanned ${user.uid}`),
      }),
    )
    await CometChat.updateGroupMemberScope('team', 'bob', CometChat.GROUP_MEMBER_SCOPE.ADMIN)
    const params = { guid: 'team' }
    const cara = { guid: 'team', uid: 'cara' }
    const byBob = { onBehalfOf: 'bob' }
    await full.addMembers({ params, body: {}, onBehalfOf: 'cara' })
    await full.leaveGroup({ params, onBehalfOf: 'cara' })
    await full.addMembers({ params, body: { participants: ['cara'] }, ...byBob })
    await full.changeMemberScope({ params: cara, body: { scope: 'moderator' }, ...byBob })
    await full.kickMember({ params: cara, ...byBob })
    await full.addMembers({ params, body: {}, onBehalfOf: 'cara' })
    await full.banUser({ params: cara, ...byBob })
    await full.unbanUser({ params: cara, ...byBob })
    await heard(() => events.includes('bob unbanned cara'))
    CometChat.removeGroupListener('GROUPS')
    expect(events).toEqual([
      'joined cara team',
      'left cara',
      'bob added cara',
      'cara participant moderator team',
      'bob kicked cara',
      'joined cara team',
      'bob banned cara',
      'bob unbanned cara',
    ])
  },

  'hand a group over, leave it, and delete one': async ({ CometChat }) => {
    expect(await CometChat.transferGroupOwnership('club', 'bob')).toContain('bob')
    expect((await CometChat.getGroup('club')).getOwner()).toBe('bob')
    expect(await CometChat.leaveGroup('club')).toBe(true)
    await CometChat.createGroup(new CometChat.Group('short', 'Short', 'public'))
    expect(await CometChat.deleteGroup('short')).toBe(true)
    await expect(CometChat.getGroup('short')).rejects.toMatchObject({
      code: 'ERR_GUID_NOT_FOUND',
    })
  },
}
