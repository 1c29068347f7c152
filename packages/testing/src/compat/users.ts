import { expect } from 'vitest'
import { heard, type Snippets } from './context.ts'

export const users: Snippets = {
  'create a user and change them, with a key': async ({ CometChat, app }) => {
    const user = new CometChat.User('erin')
    user.setName('Erin')
    user.setAvatar('https://pictures.example/erin.png')
    const created = await CometChat.createUser(user, app.keys.full)
    expect(created.getName()).toBe('Erin')
    expect(created.getAvatar()).toBe('https://pictures.example/erin.png')
    user.setName('Erin E.')
    user.setTags(['helper'])
    expect((await CometChat.updateUser(user, app.keys.full)).getName()).toBe('Erin E.')
  },

  'change oneself': async ({ CometChat }) => {
    const user = new CometChat.User('ann')
    user.setName('Ann')
    user.setStatusMessage('at work')
    user.setLink('https://people.example/ann')
    user.setMetadata({ floor: 3 })
    const updated = await CometChat.updateCurrentUserDetails(user)
    expect(updated.getStatusMessage()).toBe('at work')
    expect(updated.getLink()).toBe('https://people.example/ann')
    expect(updated.getMetadata()).toEqual({ floor: 3 })
    expect((await CometChat.getLoggedinUser())?.getName()).toBe('Ann')
  },

  'get a user': async ({ CometChat }) => {
    const user = await CometChat.getUser('bob')
    expect(user.getName()).toBe('BOB')
    expect(user.getStatus()).toBe(CometChat.USER_STATUS.OFFLINE)
    expect(user.getDeactivatedAt()).toBeUndefined()
    await expect(CometChat.getUser('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  },

  'list users page by page': async ({ CometChat }) => {
    const usersRequest = new CometChat.UsersRequestBuilder().setLimit(2).build()
    expect(usersRequest.getLimit()).toBe(2)
    const pages: string[][] = []
    for (let page = await usersRequest.fetchNext(); page.length > 0; ) {
      pages.push(page.map((user) => user.getUid()))
      page = await usersRequest.fetchNext()
    }
    expect(pages.every((page) => page.length <= 2)).toBe(true)
    expect(pages.flat()).toEqual(expect.arrayContaining(['bob', 'cara', 'dan', 'erin']))
    expect(new Set(pages.flat()).size).toBe(pages.flat().length)
  },

  'list users by words, tags, roles, uids and status': async ({ CometChat }) => {
    const builder = () => new CometChat.UsersRequestBuilder().setLimit(30)
    const uids = async (request: { fetchNext(): Promise<{ uid: string }[]> }) =>
      (await request.fetchNext()).map(({ uid }) => uid)
    expect(await uids(builder().setSearchKeyword('car').searchIn(['name']).build())).toEqual([
      'cara',
    ])
    const tagged = await builder().setTags(['helper']).withTags(true).build().fetchNext()
    expect(tagged.map((user) => [user.getUid(), user.getTags()])).toEqual([['erin', ['helper']]])
    expect(await uids(builder().setUIDs(['bob', 'dan']).build())).toEqual(['bob', 'dan'])
    expect(await uids(builder().setRole('default').setUIDs(['bob']).build())).toEqual(['bob'])
    expect(await uids(builder().setRoles(['default']).setUIDs(['dan']).build())).toEqual(['dan'])
    const online = builder().setStatus(CometChat.USER_STATUS.ONLINE).build()
    await heard(async () => (await uids(builder().setStatus('online').build())).includes('ann'))
    expect(await uids(online)).toEqual(['ann'])
    expect(await CometChat.getOnlineUserCount()).toBe(1)
  },

  'list friends': async ({ CometChat, full }) => {
    await full.addFriends({ params: { uid: 'ann' }, body: { accepted: ['bob'] } })
    const request = new CometChat.UsersRequestBuilder().friendsOnly(true).build()
    expect((await request.fetchNext()).map((user) => user.getUid())).toEqual(['bob'])
  },

  'block users, list them, and unblock them': async ({ CometChat, full }) => {
    expect(await CometChat.blockUsers(['dan'])).toEqual({ dan: 'success' })
    await full.blockUsers({ params: { uid: 'erin' }, body: { blockedUids: ['ann'] } })
    const { BLOCKED_BY_ME, HAS_BLOCKED_ME } = CometChat.BlockedUsersRequest.directions
    const blocked = (direction: typeof BLOCKED_BY_ME | typeof HAS_BLOCKED_ME) =>
      new CometChat.BlockedUsersRequestBuilder().setLimit(30).setDirection(direction).build()
    const [dan] = await blocked(BLOCKED_BY_ME).fetchNext()
    expect([dan?.getUid(), dan?.getBlockedByMe()]).toEqual(['dan', true])
    const [erin] = await blocked(HAS_BLOCKED_ME).fetchNext()
    expect([erin?.getUid(), erin?.getHasBlockedMe()]).toEqual(['erin', true])
    const both = new CometChat.BlockedUsersRequestBuilder().setSearchKeyword('erin').build()
    expect(both.getLimit()).toBe(30)
    expect((await both.fetchNext()).map(({ uid }) => uid)).toEqual(['erin'])
    const mine = new CometChat.BlockedUsersRequestBuilder().blockedByMe().build()
    expect((await mine.fetchNext()).length).toBe(1)
    const theirs = new CometChat.BlockedUsersRequestBuilder().hasBlockedMe().build()
    expect((await theirs.fetchNext()).length).toBe(1)
    const shown = new CometChat.UsersRequestBuilder().hideBlockedUsers(true).build()
    expect((await shown.fetchNext()).map(({ uid }) => uid)).not.toContain('dan')
    expect(await CometChat.unblockUsers(['dan'])).toEqual({ dan: 'success' })
  },

  'hear who comes and goes': async ({ CometChat, device }) => {
    const events: string[] = []
    CometChat.addUserListener(
      'USERS',
      new CometChat.UserListener({
        onUserOnline: (user) => events.push(`${user.getName()} ${user.getStatus()}`),
        onUserOffline: (user) =>
          events.push(`${user.getName()} ${user.getStatus()} ${typeof user.getLastActiveAt()}`),
      }),
    )
    const phone = await device('cara')
    await heard(() => events.includes('CARA online'))
    phone.ws.close()
    await heard(() => events.includes('CARA offline number'))
    CometChat.removeUserListener('USERS')
  },
}
