import { missingName } from './missing.ts'

// Documented names that Chorale has nothing behind: each throws when it is used.

const member = (name: string) => missingName(`CometChat.${name}`)

// Calls.
export const initiateCall = member('initiateCall')
export const acceptCall = member('acceptCall')
export const rejectCall = member('rejectCall')
export const endCall = member('endCall')
export const startCall = member('startCall')
export const getActiveCall = member('getActiveCall')
export const clearActiveCall = member('clearActiveCall')
export const Call = member('Call')
export const CallSettingsBuilder = member('CallSettingsBuilder')

// Interactive messages.
export const InteractiveMessage = member('InteractiveMessage')
export const InteractionGoal = member('InteractionGoal')
export const sendInteractiveMessage = member('sendInteractiveMessage')
export const markAsInteracted = member('markAsInteracted')

// Extensions and features of a plan.
export const callExtension = member('callExtension')
export const isExtensionEnabled = member('isExtensionEnabled')
export const isFeatureEnabled = member('isFeatureEnabled')

// Assistants.
export const askBot = member('askBot')
export const getSmartReplies = member('getSmartReplies')
export const getConversationStarter = member('getConversationStarter')
export const getConversationSummary = member('getConversationSummary')
export const AIAssistantListener = member('AIAssistantListener')
export const addAIAssistantListener = member('addAIAssistantListener')
export const removeAIAssistantListener = member('removeAIAssistantListener')

// Others.
export const getFlagReasons = member('getFlagReasons')
export const registerTokenForPushNotification = member('registerTokenForPushNotification')
