/** Callbacks that are called, by the class that takes them. */
export const called = {
  MessageListener: [
    'onTextMessageReceived',
    'onMediaMessageReceived',
    'onCustomMessageReceived',
    'onTypingStarted',
    'onTypingEnded',
    'onMessagesDelivered',
    'onMessagesRead',
    'onMessageEdited',
    'onMessageDeleted',
    'onTransientMessageReceived',
    'onMessageReactionAdded',
    'onMessageReactionRemoved',
  ],
  UserListener: ['onUserOnline', 'onUserOffline'],
  GroupListener: [
    'onGroupMemberJoined',
    'onGroupMemberLeft',
    'onGroupMemberKicked',
    'onGroupMemberBanned',
    'onGroupMemberUnbanned',
    'onMemberAddedToGroup',
    'onGroupMemberScopeChanged',
  ],
  LoginListener: ['loginSuccess', 'loginFailure', 'logoutSuccess', 'logoutFailure'],
  ConnectionListener: ['onConnected', 'inConnecting', 'onDisconnected', 'onConnectionError'],
  CallListener: [],
} as const

/** Documented callbacks that nothing calls, by kind of listener. */
export const neverCalled = {
  message: [
    'onMessagesDeliveredToAll',
    'onMessagesReadByAll',
    'onMessageModerated',
    'onInteractiveMessageReceived',
    'onInteractionGoalCompleted',
    'onCardMessageReceived',
    'onAIAssistantMessageReceived',
    'onAIToolResultReceived',
    'onAIToolArgumentsReceived',
  ],
  user: [],
  group: [],
  login: [],
  connection: ['onFeatureThrottled'],
  call: [
    'onIncomingCallReceived',
    'onOutgoingCallAccepted',
    'onOutgoingCallRejected',
    'onIncomingCallCancelled',
    'onCallEndedMessageReceived',
  ],
} as const
