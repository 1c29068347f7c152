/** Where a user is shown. */
export function userPlace(appId: string, uid: string): string {
  return `/apps/${appId}/support/users/${encodeURIComponent(uid)}`
}

export function conversationPlace(appId: string, conversationId: string): string {
  return `/apps/${appId}/support/conversations/${encodeURIComponent(conversationId)}`
}

export function timelinePlace(appId: string, messageId: string): string {
  return `/apps/${appId}/support/messages/${encodeURIComponent(messageId)}`
}
