import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { p12 } from '../network/p12.ts'
import { account, apns, type FaultFixture, p8Key, sendGrid, twilio, webhookURL } from './fixture.ts'

type Changing = {
  [N in keyof Api]: Api[N] extends { requires: 'session' }
    ? never
    : Api[N] extends { effect: 'write' | 'append' }
      ? N
      : never
}[keyof Api]

/** A valid call of every operation that changes anything: the compiler names what is missing. */
export function faultCalls(fixture: FaultFixture) {
  const calls: { readonly [N in Changing]: CallInput<Api[N]> } = {
    ...callsOfApp(fixture),
    ...callsOfUsers(fixture),
    ...callsOfConversations(fixture),
    ...callsOfGroups(),
    ...callsOfModeration(fixture),
    ...callsOfMessages(fixture),
    ...callsOfNotifications(fixture),
    ...callsOfProviders(),
    ...callsOfWebhooks(fixture),
    ...callsOfImports(),
    ...callsOfDataRights(fixture),
    ...callsOfFiles(fixture),
  }
  return calls
}

const tenant = {
  name: 'Tom',
  email: 'tom@example.com',
  password: 'correct horse battery',
  appName: 'Toms',
  appRegion: 'eu',
} as const

function callsOfApp({ appId, apiKey }: FaultFixture) {
  const params = { appId }
  const role = { params: { role: 'old' } }
  const denied = { params: { role: 'denied' } }
  return {
    createApp: { body: { name: 'Another' } },
    deleteApp: { params },
    replayDeadLetters: { body: { numbers: [1] } },
    createTenant: { body: tenant },
    updateCollaborators: { params, body: { viewers: ['vera@example.com'] } },
    mapAppSettings: { params, body: { settings: { 'apiKeys.authOnlyCreatesUsers': true } } },
    unmapAppSettings: { params, body: { settings: ['apiKeys.authOnlyCreatesUsers'] } },
    createApiKey: { body: { name: 'New' } },
    updateApiKey: { params: { apiKey }, body: { name: 'Renamed' } },
    deleteApiKey: { params: { apiKey } },
    createIssuer: {
      body: { id: 'new', issuer: 'https://new.example', jwksUrl: webhookURL, audiences: ['chat'] },
    },
    updateIssuer: { params: { issuerId: 'old' }, body: { enabled: false } },
    deleteIssuer: { params: { issuerId: 'old' } },
    createRole: { body: { role: 'new', name: 'New' } },
    updateRole: { ...role, body: { name: 'Renamed' } },
    deleteRole: role,
    restrictFeatures: { ...denied, body: { featuresToRestrict: ['getUser'] } },
    allowFeatures: { ...denied, body: { featuresToAllow: ['listUsers'] } },
    setRolePermissions: { ...denied, body: { permissions: { listUsers: 'allow' } } },
    unsetRolePermission: { params: { role: 'denied', permission: 'listUsers' } },
  }
}

function callsOfUsers({ authToken }: FaultFixture) {
  const ann = { params: { uid: 'ann' } }
  const token = { params: { uid: 'ann', authToken } }
  return {
    createUser: { body: { uid: 'new', name: 'New' } },
    updateUser: { ...ann, body: { name: 'Renamed' } },
    deleteUser: { ...ann, body: { permanent: true } },
    deactivateUsers: { body: { uidsToDeactivate: ['ann'] } },
    reactivateUsers: { body: { uidsToActivate: ['idle'] } },
    createAuthToken: { params: { uid: 'dan' } },
    deleteAuthTokens: ann,
    updateAuthToken: { ...token, body: { platform: 'android' } },
    deleteAuthToken: token,
    addFriends: { ...ann, body: { accepted: ['cyd'] } },
    removeFriends: { ...ann, body: { friends: ['bob'] } },
    blockUsers: { ...ann, body: { blockedUids: ['eve'] } },
    unblockUsers: { params: { uid: 'dan' }, body: { blockedUids: ['eve'] } },
    updateMe: { body: { name: 'Me' } },
    deleteMyAuthToken: {},
  }
}

function callsOfConversations({ message, read, inGroup }: FaultFixture) {
  const ofBob = { params: { uid: 'ann' }, onBehalfOf: 'bob' }
  const ofBobInTea = { params: { guid: 'tea' }, onBehalfOf: 'bob' }
  return {
    deleteConversation: { params: { conversationId: 'ann_user_bob' } },
    updateUserConversation: { ...ofBob, body: { tags: ['red'] } },
    resetUserConversation: ofBob,
    updateGroupConversation: { ...ofBobInTea, body: { tags: ['red'] } },
    resetGroupConversation: ofBobInTea,
    markUserConversationDelivered: { ...ofBob, body: { messageId: message } },
    markUserConversationRead: { ...ofBob, body: { messageId: message } },
    markUserConversationUnread: {
      params: { uid: 'ann' },
      onBehalfOf: 'cyd',
      body: { messageId: read },
    },
    markGroupConversationDelivered: { ...ofBobInTea, body: { messageId: inGroup } },
    markGroupConversationRead: { ...ofBobInTea, body: { messageId: inGroup } },
    markGroupConversationUnread: {
      params: { guid: 'tea' },
      onBehalfOf: 'cyd',
      body: { messageId: inGroup },
    },
  }
}

function callsOfGroups() {
  const tea = { params: { guid: 'tea' } }
  const bob = { params: { guid: 'tea', uid: 'bob' } }
  const moderator = { guid: 'tea', scope: 'moderator' } as const
  return {
    createGroup: { body: { guid: 'new', name: 'New', type: 'public', owner: 'ann' } as const },
    updateGroup: { ...tea, body: { name: 'Renamed' } },
    deleteGroup: tea,
    transferGroupOwnership: { ...tea, body: { owner: 'bob' } },
    addMembers: { ...tea, body: { participants: ['dan'] } },
    leaveGroup: { ...tea, onBehalfOf: 'bob' },
    changeMemberScope: { ...bob, body: { scope: 'admin' } as const },
    kickMember: bob,
    banUser: bob,
    unbanUser: { params: { guid: 'tea', uid: 'eve' } },
    setScopePermissions: { params: moderator, body: { permissions: { sendMessage: 'deny' } } },
    unsetScopePermission: { params: { ...moderator, permission: 'listMembers' } },
  }
}

function callsOfModeration(fixture: FaultFixture) {
  const { appId, message, blocked, flagged, submission } = fixture
  const approved = { body: { status: 'approved' } } as const
  const conditions = [{ value: 'quiet' }]
  const revisionId = `${appId}_old_1`
  const ofRule = { ruleId: 'old' }
  const ofList = { keywordId: 'old' }
  const words = (id: string) => ({ id, category: 'word', searchTerms: 'quiet' }) as const
  return {
    createRule: { body: { id: 'new', conditions } },
    updateRule: { params: ofRule, body: { conditions } },
    deleteRule: { params: ofRule },
    restoreRule: { params: { ...ofRule, revisionId } },
    createKeywordList: { form: words('new') },
    updateKeywordList: { params: ofList, form: words('old') },
    deleteKeywordList: { params: ofList },
    createReason: { body: { id: 'new', name: 'New' } },
    updateReason: { params: { id: 'old' }, body: { name: 'Renamed' } },
    deleteReason: { params: { id: 'old' } },
    cancelDryRun: { params: { dryRunId: fixture.dryRunId } },
    dryRunRule: { params: ofRule, body: {} },
    dryRunDraft: { body: { draft: { conditions } } },
    reviewBlockedMessage: { params: { messageId: blocked }, ...approved },
    reviewBlockedMessageOfApp: { params: { appId, messageId: blocked }, ...approved },
    claimMessages: { body: {} },
    releaseMessages: { body: {} },
    reviewFlaggedMessage: { params: { id: flagged }, ...approved },
    flagMessage: { params: { id: message }, onBehalfOf: 'bob', body: { reasonId: 'spam' } },
    submitMessage: {
      body: { sender: 'ann', receiver: 'bob', receiverType: 'user', data: { text: 'hi' } } as const,
    },
    updateSubmission: { params: { id: submission }, body: { data: { text: 'new' } } },
    deleteSubmission: { params: { id: submission } },
    createRuleOfApp: { params: { appId }, body: { id: 'other', conditions } },
    updateRuleOfApp: { params: { appId, ...ofRule }, body: { conditions } },
    deleteRuleOfApp: { params: { appId, ...ofRule } },
    restoreRuleOfApp: { params: { appId, ...ofRule, revisionId } },
    createKeywordListOfApp: { params: { appId }, form: words('other') },
    updateKeywordListOfApp: { params: { appId, ...ofList }, form: words('old') },
    deleteKeywordListOfApp: { params: { appId, ...ofList } },
  }
}

function callsOfMessages({ message, read, pinned, form }: FaultFixture) {
  const data = { text: 'hello' }
  const ofBob = { params: { id: message }, onBehalfOf: 'bob' }
  const ofCyd = { params: { id: read }, onBehalfOf: 'cyd' }
  const first = { receiver: 'dan', receiverType: 'user', data } as const
  return {
    // They have never written to each other: a conversation begins.
    sendMessage: { onBehalfOf: 'ann', body: first },
    sendBotMessage: { params: { uid: 'cyd' }, body: first },
    editMessage: { params: { id: message }, onBehalfOf: 'ann', body: { data } },
    deleteMessage: { params: { id: message }, onBehalfOf: 'ann' },
    addReaction: { params: { id: message, reaction: 'up' }, onBehalfOf: 'bob' },
    addReactionInBody: { ...ofBob, body: { reaction: 'up' } },
    removeReaction: { params: { id: read, reaction: 'up' }, onBehalfOf: 'cyd' },
    replyToMessage: { ...ofBob, body: { data } },
    subscribeToThread: ofBob,
    unsubscribeFromThread: ofCyd,
    markInteracted: {
      params: { id: form },
      onBehalfOf: 'bob',
      body: { interactions: ['e1'] },
    },
    pinMessage: { params: { id: message } },
    unpinMessage: { params: { id: pinned } },
    saveMessage: ofBob,
    unsaveMessage: ofCyd,
  }
}

function callsOfNotifications({ appId, authToken, pushToken }: FaultFixture) {
  const query = { uid: 'ann' }
  const params = { appId }
  const settings = { version: 2, pushProvider: 1 }
  const conversations = [{ id: 'bob', type: 'oneOnOne' as const }]
  const extensions = ['push-notification']
  const of = { onBehalfOf: 'ann', body: { authToken } }
  return {
    updateNotificationSettings: { body: { preferences: {} } },
    resetNotificationSettings: {},
    updateNotificationPreferences: { query, body: { usePrivacyTemplate: true } },
    deleteNotificationPreferences: { query },
    muteConversations: { query, body: { conversations } },
    unmuteConversations: { query, body: { conversations } },
    setTimezone: { query, body: { timezone: 'Asia/Kolkata' } },
    switchExtensions: { params, body: { enabled: extensions } },
    createPushSettings: { params, body: { settings } },
    updatePushSettings: { params, body: { settings } },
    deletePushSettings: { params },
    uploadCertificateP12: {
      params,
      form: { certificate: new Blob([Buffer.from(p12, 'base64')]), password: 'sesame' },
    },
    uploadCertificateP8: { params, form: { certificate: new Blob([p8Key]) } },
    deletePushToken: { params: { pushToken }, ...of },
    registerPushToken: {
      onBehalfOf: 'ann',
      body: { platform: 'fcm_android', fcmToken: 'new', authToken },
    },
    deletePushTokens: of,
    getWebPushKey: {},
    updateContactDetails: { onBehalfOf: 'ann', body: { email: 'ann@example.com' } },
    deleteContactDetails: { onBehalfOf: 'ann' },
    switchNotificationLogs: { body: { enabled: true } },
  } as const
}

function callsOfProviders() {
  const old = { params: { providerId: 'old' } }
  const basic = {
    isEnabled: true,
    webhookURL,
    useBasicAuth: true,
    basicAuthUsername: 'u',
    basicAuthPassword: 'p',
  }
  const off = { body: { isEnabled: false } }
  return {
    createFcmProvider: { body: { providerId: 'new', serviceAccountCreds: account } },
    updateFcmProvider: { body: { providerId: 'old', serviceAccountFilename: 'x.json' } },
    deleteFcmProvider: { params: { providerId: 'new' } },
    setDefaultFcmProvider: old,
    createApnsProvider: { body: { providerId: 'new', ...apns } },
    updateApnsProvider: { body: { providerId: 'old', bundleId: 'example.new' } },
    deleteApnsProvider: { params: { providerId: 'new' } },
    setDefaultApnsProvider: old,
    createCustomPushProvider: { body: basic },
    updateCustomPushProvider: off,
    deleteCustomPushProvider: {},
    createCustomSmsProvider: { body: { webhookURL, useStoredPhNo: true } },
    updateCustomSmsProvider: off,
    deleteCustomSmsProvider: {},
    createCustomEmailProvider: { body: { webhookURL } },
    updateCustomEmailProvider: off,
    deleteCustomEmailProvider: {},
    createTwilio: { body: twilio },
    updateTwilio: off,
    deleteTwilio: {},
    createSendGrid: { body: sendGrid },
    updateSendGrid: off,
    deleteSendGrid: {},
  }
}

function callsOfWebhooks({ appId, deliveryId }: FaultFixture) {
  const of = { params: { appId, webhookId: 'old' } }
  return {
    createWebhook: { params: { appId }, body: { id: 'new', name: 'New', webhookURL } },
    updateWebhook: { ...of, body: { name: 'Renamed' } },
    deleteWebhook: { params: { appId, webhookId: 'new' } },
    rotateWebhookSecret: of,
    addWebhookTriggers: { ...of, body: { triggerIds: ['after_message'] } },
    removeWebhookTriggers: { ...of, body: { triggerIds: ['after_message'] } },
    redeliver: { params: { ...of.params, deliveryId } },
    redeliverMany: { ...of, body: {} },
    testWebhook: of,
  }
}

function callsOfImports() {
  const name = 'From elsewhere'
  const at = 1_600_000_000
  const ian = { uid: 'ian', name, createdAt: at }
  const hall = { guid: 'hall', name, type: 'public', owner: 'ann', createdAt: at } as const
  const message = { muid: 'i1', sender: 'ann', receiver: 'ian', sentAt: at } as const
  return {
    importUsers: { body: { users: { ian } } },
    importGroups: { body: { groups: { hall } } },
    importMembers: {
      body: {
        members: {
          tea_member_ian: { memberId: 'tea_member_ian', guid: 'tea', uid: 'ian', userDetails: ian },
        },
      },
    },
    importMessages: {
      body: {
        messages: {
          i1: { ...message, receiverType: 'user', data: { text: 'hi' }, receiverUserDetails: ian },
        },
      },
    },
    importConversations: {
      body: {
        conversations: {
          tea: {
            uid: 'ann',
            conversationType: 'group',
            conversationWith: 'tea',
            unreadMessageCount: 0,
          },
        },
      },
    },
  } as const
}

function callsOfFiles({ brought, asked, store }: FaultFixture) {
  return {
    createUpload: { onBehalfOf: 'ann', body: { name: 'cat.png', size: 10, mimeType: 'image/png' } },
    completeUpload: { params: { uploadId: brought } },
    cancelUpload: { params: { uploadId: asked } },
    setFileStore: { body: store },
    deleteFileStore: {},
  } as const
}

function callsOfDataRights({ holdId, retentionId }: FaultFixture) {
  return {
    eraseUser: { body: { uid: 'cyd' } },
    releaseHold: { params: { holdId } },
    setRetention: { body: { days: 30_000 } },
    deleteRetention: { params: { retentionId } },
    createHold: { body: { guid: 'kept', reason: 'Another case.' } },
  } as const
}
