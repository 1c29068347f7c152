import type { ConnectionState } from '@chorale/sdk'

/** Every word that a component shows. Dates and times follow the locale of the provider. */
export interface Strings {
  readonly conversations: string
  readonly noConversations: string
  readonly chooseConversation: string
  readonly messages: string
  readonly noMessages: string
  readonly loading: string
  readonly loadFailed: string
  readonly tryAgain: string
  readonly back: string
  readonly close: string
  readonly cancel: string
  readonly newMessages: string
  readonly jumpToLatest: string
  readonly online: string
  readonly offline: string
  readonly unread: (count: number) => string
  readonly typing: (names: readonly string[]) => string
  readonly connection: Readonly<Record<Exclude<ConnectionState['state'], 'online'>, string>>
  readonly you: string
  readonly edited: string
  readonly deleted: string
  readonly pinned: string
  readonly sending: string
  readonly sent: string
  readonly delivered: string
  readonly read: string
  readonly notSent: string
  /** A rule of moderation has blocked it. */
  readonly blocked: string
  /** A classifier is asked about it. */
  readonly beingChecked: string
  readonly resend: string
  readonly discard: string
  readonly messageActions: string
  readonly addReaction: string
  readonly reactWith: (reaction: string) => string
  readonly reaction: (reaction: string, count: number, isOwn: boolean) => string
  readonly reply: string
  readonly replyInThread: string
  readonly replies: (count: number) => string
  readonly edit: string
  readonly delete: string
  readonly thread: string
  readonly writeMessage: string
  readonly writeReply: string
  readonly send: string
  readonly save: string
  readonly replyingTo: (name: string) => string
  readonly editing: string
  readonly attachFile: string
  readonly removeFile: (name: string) => string
  readonly uploading: (name: string) => string
  readonly uploadFailed: (name: string) => string
  readonly suggestions: (count: number) => string
  readonly mentions: string
  readonly photo: string
  readonly video: string
  readonly audio: string
  readonly file: string
  /** Others see a file once it is checked; one that is refused nobody sees. */
  readonly fileChecking: string
  readonly fileRefused: string
  readonly customMessage: string
  readonly members: string
  readonly membersOf: (count: number) => string
  readonly scope: Readonly<Record<'admin' | 'moderator' | 'participant', string>>
  readonly search: string
  readonly searchMessages: string
  readonly results: (count: number) => string
  readonly notLoaded: string
  readonly writing: string
  /** Of a group: joined, left, kicked, banned, and so on. */
  readonly groupAction: (action: string, by: string, on: string) => string
}

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const groupActions: Readonly<Record<string, (by: string, on: string) => string>> = {
  joined: (by) => `${by} joined`,
  left: (by) => `${by} left`,
  added: (by, on) => `${by} added ${on}`,
  kicked: (by, on) => `${by} removed ${on}`,
  banned: (by, on) => `${by} banned ${on}`,
  unbanned: (by, on) => `${by} lifted the ban of ${on}`,
  scopeChanged: (by, on) => `${by} changed the role of ${on}`,
}

function typingEnglish([first = '', second, ...others]: readonly string[]): string {
  if (second === undefined) return `${first} is typing…`
  if (others.length === 0) return `${first} and ${second} are typing…`
  return 'Several people are typing…'
}

export const english: Strings = {
  conversations: 'Conversations',
  noConversations: 'No conversations yet',
  chooseConversation: 'Choose a conversation',
  messages: 'Messages',
  noMessages: 'No messages yet. Say hello!',
  loading: 'Loading…',
  loadFailed: 'This could not be loaded.',
  tryAgain: 'Try again',
  back: 'Back',
  close: 'Close',
  cancel: 'Cancel',
  newMessages: 'New messages',
  jumpToLatest: 'Jump to the latest message',
  online: 'Online',
  offline: 'Offline',
  unread: (count) => plural(count, 'unread message', 'unread messages'),
  typing: typingEnglish,
  connection: {
    connecting: 'Connecting…',
    waiting: 'No connection. Trying again…',
    closed: 'The connection has ended. Please sign in again.',
  },
  you: 'You',
  edited: 'edited',
  deleted: 'This message was deleted',
  pinned: 'Pinned',
  sending: 'Sending',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  notSent: 'Not sent',
  blocked: 'Only you can see this: a rule of this chat has blocked it.',
  beingChecked: 'Only you can see this until it has been checked.',
  resend: 'Send again',
  discard: 'Discard',
  messageActions: 'Message actions',
  addReaction: 'Add a reaction',
  reactWith: (reaction) => `React with ${reaction}`,
  reaction: (reaction, count, isOwn) => `${reaction}: ${count}${isOwn ? ', with yours' : ''}`,
  reply: 'Reply',
  replyInThread: 'Reply in a thread',
  replies: (count) => plural(count, 'reply', 'replies'),
  edit: 'Edit',
  delete: 'Delete',
  thread: 'Thread',
  writeMessage: 'Write a message',
  writeReply: 'Write a reply',
  send: 'Send',
  save: 'Save',
  replyingTo: (name) => `Replying to ${name}`,
  editing: 'Editing',
  attachFile: 'Attach a file',
  removeFile: (name) => `Remove ${name}`,
  uploading: (name) => `Uploading ${name}`,
  uploadFailed: (name) => `${name} could not be uploaded`,
  suggestions: (count) => plural(count, 'suggestion', 'suggestions'),
  mentions: 'People to mention',
  photo: 'Photo',
  video: 'Video',
  audio: 'Audio',
  file: 'File',
  fileChecking: 'Being checked…',
  fileRefused: 'Refused',
  customMessage: 'Message',
  members: 'Members',
  membersOf: (count) => plural(count, 'member', 'members'),
  scope: { admin: 'Admin', moderator: 'Moderator', participant: '' },
  search: 'Search',
  searchMessages: 'Search messages',
  results: (count) => plural(count, 'result', 'results'),
  notLoaded: 'This message is too old to be shown here.',
  writing: 'Writing…',
  groupAction: (action, by, on) => groupActions[action]?.(by, on) ?? `${by}: ${action}`,
}
