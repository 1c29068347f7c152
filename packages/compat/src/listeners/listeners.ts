import type { Group } from '../entities/group.ts'
import type { User } from '../entities/user.ts'
import type { CometChatException } from '../exception.ts'
import type { Action } from '../messages/action.ts'
import type { BaseMessage } from '../messages/base-message.ts'
import type { CustomMessage } from '../messages/custom-message.ts'
import type { MediaMessage } from '../messages/media-message.ts'
import type { ReactionEvent } from '../messages/reaction.ts'
import type { MessageReceipt } from '../messages/receipt.ts'
import type { TextMessage } from '../messages/text-message.ts'
import type { TransientMessage } from '../messages/transient-message.ts'
import type { TypingIndicator } from '../messages/typing-indicator.ts'
import { warnNeverCalled } from '../missing.ts'
import { neverCalled } from './callback-names.ts'

interface MessageCallbacks {
  onTextMessageReceived(message: TextMessage): void
  onMediaMessageReceived(message: MediaMessage): void
  onCustomMessageReceived(message: CustomMessage): void
  onTypingStarted(typing: TypingIndicator): void
  onTypingEnded(typing: TypingIndicator): void
  onMessagesDelivered(receipt: MessageReceipt): void
  onMessagesRead(receipt: MessageReceipt): void
  onMessageEdited(message: BaseMessage): void
  onMessageDeleted(message: BaseMessage): void
  onTransientMessageReceived(message: TransientMessage): void
  onMessageReactionAdded(event: ReactionEvent): void
  onMessageReactionRemoved(event: ReactionEvent): void
}

interface UserCallbacks {
  onUserOnline(user: User): void
  onUserOffline(user: User): void
}

interface GroupCallbacks {
  onGroupMemberJoined(message: Action, user: User, group: Group): void
  onGroupMemberLeft(message: Action, user: User, group: Group): void
  onGroupMemberKicked(message: Action, kicked: User, by: User, group: Group): void
  onGroupMemberBanned(message: Action, banned: User, by: User, group: Group): void
  onGroupMemberUnbanned(message: Action, unbanned: User, by: User, group: Group): void
  onMemberAddedToGroup(message: Action, added: User, by: User, group: Group): void
  onGroupMemberScopeChanged(
    message: Action,
    user: User,
    newScope: string,
    oldScope: string,
    group: Group,
  ): void
}

interface LoginCallbacks {
  loginSuccess(user: User): void
  loginFailure(error: CometChatException): void
  logoutSuccess(): void
  logoutFailure(error: CometChatException): void
}

interface ConnectionCallbacks {
  onConnected(): void
  inConnecting(): void
  onDisconnected(): void
  onConnectionError(error: CometChatException): void
}

export interface CallbacksByKind {
  message: MessageCallbacks
  user: UserCallbacks
  group: GroupCallbacks
  login: LoginCallbacks
  connection: ConnectionCallbacks
  call: Record<never, never>
}

/** What a listener is made of: the callbacks it has, and any others without effect. */
type Given<K extends keyof CallbacksByKind> = Partial<CallbacksByKind[K]> &
  Readonly<Record<string, unknown>>

/** A listener keeps the object that it was given, so that `this` in a callback is that object. */
class Listener<K extends keyof CallbacksByKind> {
  readonly callbacks: Partial<CallbacksByKind[K]>

  constructor(kind: K, given: Given<K>) {
    this.callbacks = given
    for (const name of neverCalled[kind]) {
      if (name in given) warnNeverCalled(`${this.constructor.name}.${name}`)
    }
  }
}

export class MessageListener extends Listener<'message'> {
  constructor(callbacks: Given<'message'>) {
    super('message', callbacks)
  }
}

export class UserListener extends Listener<'user'> {
  constructor(callbacks: Given<'user'>) {
    super('user', callbacks)
  }
}

export class GroupListener extends Listener<'group'> {
  constructor(callbacks: Given<'group'>) {
    super('group', callbacks)
  }
}

export class LoginListener extends Listener<'login'> {
  constructor(callbacks: Given<'login'>) {
    super('login', callbacks)
  }
}

export class ConnectionListener extends Listener<'connection'> {
  constructor(callbacks: Given<'connection'>) {
    super('connection', callbacks)
  }
}

/** There are no calls. */
export class CallListener extends Listener<'call'> {
  constructor(callbacks: Given<'call'>) {
    super('call', callbacks)
  }
}
