import { expect } from 'vitest'
import { heard, type Snippets } from './context.ts'

const annAgain = async ({ CometChat, tokenOf }: Parameters<Snippets[string]>[0]) =>
  CometChat.login(await tokenOf('ann'))

export const session: Snippets = {
  'nothing works before init': async ({ CometChat }) => {
    await expect(CometChat.login('ann', 'key')).rejects.toMatchObject({
      code: 'COMETCHAT_INITIALIZATION_NOT_DONE',
    })
  },

  'init with the settings of an app': async ({ CometChat, app }) => {
    const appSettings = new CometChat.AppSettingsBuilder()
      .subscribePresenceForAllUsers()
      .setRegion('eu')
      .setStorageMode(CometChat.StorageMode.LOCAL)
      .autoEstablishSocketConnection(true)
      .overrideClientHost(app.origin)
      .overrideAdminHost(app.origin)
      .build()
    expect(appSettings).toBeInstanceOf(CometChat.AppSettings)
    expect(appSettings.getRegion()).toBe('eu')
    expect(await CometChat.init(app.appId, appSettings)).toBe(true)
    expect(await CometChat.getLoggedinUser()).toBeNull()
    await expect(CometChat.getUser('bob')).rejects.toMatchObject({ code: 'USER_NOT_LOGGED_IN' })
  },

  'init without an address says what is missing': async ({ CometChat, app }) => {
    const nowhere = new CometChat.AppSettingsBuilder().setRegion('us').build()
    await expect(CometChat.init(app.appId, nowhere)).rejects.toMatchObject({
      code: 'MISSING_PARAMETERS',
      message: expect.stringContaining('overrideClientHost'),
    })
  },

  'login with a uid and the auth key, and logout': async ({ CometChat, app }) => {
    const user = await CometChat.login('ann', app.keys.auth)
    expect(user.getUid()).toBe('ann')
    expect(user.getName()).toBe('ANN')
    expect(user.getAuthToken()).toMatch(/^ann_/)
    expect(user.getRole()).toBe('default')
    const current = await CometChat.getLoggedinUser()
    expect(current?.uid).toBe('ann')
    await CometChat.logout()
    expect(await CometChat.getLoggedinUser()).toBeNull()
    // The token was made for this login.
    await expect(CometChat.login(user.getAuthToken())).rejects.toMatchObject({
      code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
    })
  },

  'login with an auth token of the server, which stays valid': async ({ CometChat, tokenOf }) => {
    const authToken = await tokenOf('ann')
    await CometChat.login(authToken)
    await CometChat.logout()
    expect((await CometChat.login(authToken)).getUid()).toBe('ann')
  },

  'a login that fails has a code': async ({ CometChat }) => {
    const error = await CometChat.login('wrong').then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(CometChat.CometChatException)
    expect(error).toMatchObject({
      code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
      name: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
      message: expect.any(String),
      details: expect.any(String),
    })
  },

  'a login listener hears of logins and logouts': async (context) => {
    const { CometChat } = context
    const events: string[] = []
    CometChat.addLoginListener(
      'LOGIN',
      new CometChat.LoginListener({
        loginSuccess: (user) => events.push(`in ${user.getUid()}`),
        loginFailure: (error) => events.push(`failed ${error.code}`),
        logoutSuccess: () => events.push('out'),
        logoutFailure: (error) => events.push(`still in ${error.code}`),
      }),
    )
    await CometChat.logout()
    await CometChat.login('wrong').catch(() => undefined)
    await annAgain(context)
    CometChat.removeLoginListener('LOGIN')
    expect(events).toEqual(['out', 'failed AUTH_ERR_AUTH_TOKEN_NOT_FOUND', 'in ann'])
  },

  'the connection can be watched, ended and opened again': async ({ CometChat }) => {
    const states: string[] = []
    CometChat.addConnectionListener(
      'CONNECTION',
      new CometChat.ConnectionListener({
        onConnected: () => states.push('connected'),
        inConnecting: () => states.push('connecting'),
        onDisconnected: () => states.push('disconnected'),
        onConnectionError: (error) => states.push(error.code),
      }),
    )
    await heard(() => CometChat.getConnectionStatus() === 'connected')
    await CometChat.disconnect()
    expect(CometChat.getConnectionStatus()).toBe('disconnected')
    expect(await CometChat.connect()).toBe(true)
    await heard(() => CometChat.getConnectionStatus() === 'connected')
    CometChat.removeConnectionListener('CONNECTION')
    expect(states.filter((state) => state !== 'connecting')).toEqual(['disconnected', 'connected'])
  },

  'constants have the documented values': ({ CometChat }) => {
    const { MESSAGE_TYPE, CALL_TYPE, CALL_STATUS, AttachmentType, ModerationStatus } = CometChat
    expect({ ...MESSAGE_TYPE }).toEqual({
      TEXT: 'text',
      IMAGE: 'image',
      VIDEO: 'video',
      AUDIO: 'audio',
      FILE: 'file',
      CUSTOM: 'custom',
    })
    expect({ ...CALL_TYPE }).toEqual({ AUDIO: 'audio', VIDEO: 'video' })
    expect(Object.values({ ...CALL_STATUS })).toEqual(
      'initiated ongoing unanswered rejected busy cancelled ended'.split(' '),
    )
    expect(Object.values({ ...AttachmentType })).toEqual(['image', 'video', 'audio', 'file'])
    expect(Object.values({ ...ModerationStatus })).toEqual(['pending', 'approved', 'disapproved'])
    expect(CometChat.StorageMode.SESSION).toBe('session')
    expect(CometChat.CATEGORY_CUSTOM).toBe('custom')
    expect(CometChat.CATEGORY_CALL).toBe('call')
    expect(CometChat.CATEGORY_INTERACTIVE).toBe('interactive')
    expect(CometChat.BlockedUsersRequest.directions.BOTH).toBe('both')
  },

  'builders build requests, and presence is chosen in the settings': ({ CometChat }) => {
    const built = [
      [new CometChat.UsersRequestBuilder().build(), CometChat.UsersRequest],
      [new CometChat.GroupsRequestBuilder().build(), CometChat.GroupsRequest],
      [new CometChat.GroupMembersRequestBuilder('team').build(), CometChat.GroupMembersRequest],
      [new CometChat.BannedMembersRequestBuilder('team').build(), CometChat.BannedMembersRequest],
      [new CometChat.MessagesRequestBuilder().build(), CometChat.MessagesRequest],
      [new CometChat.ConversationsRequestBuilder().build(), CometChat.ConversationsRequest],
      [new CometChat.ReactionsRequestBuilder().build(), CometChat.ReactionsRequest],
    ] as const
    for (const [request, type] of built) expect(request).toBeInstanceOf(type)
    const settings = new CometChat.AppSettingsBuilder()
    expect(settings.subscribePresenceForFriends().build().presence).toEqual({ of: 'friends' })
    expect(settings.subscribePresenceForRoles(['vip']).build().presence).toEqual({
      of: 'roles',
      roles: ['vip'],
    })
  },

  'what is not there says so at once': ({ CometChat }) => {
    expect(() => CometChat.initiateCall({})).toThrow(/CometChat\.initiateCall .*https:/)
    expect(() => new CometChat.UsersRequestBuilder().sortBy('name')).toThrow(/sortBy/)
  },
}
