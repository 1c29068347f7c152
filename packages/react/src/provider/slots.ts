import type {
  ChatMessage,
  ConversationItem,
  LiveList,
  Member,
  Message,
  MessageDraft,
  SentMessage,
  Target,
} from '@chorale/sdk'
import type { ComponentType, ReactNode } from 'react'

export type StoredFile = NonNullable<Message['data']['attachments']>[number]

export interface AvatarProps {
  readonly name: string
  readonly image?: string | undefined
  /** Shows whether this user is online. */
  readonly uid?: string | undefined
}

export interface ConversationRowProps {
  readonly item: ConversationItem
  readonly isSelected: boolean
  /** One row of the list is reached by Tab, the others by the arrow keys. */
  readonly isTabStop: boolean
  readonly onSelect: (target: Target) => void
}

export interface MessageRowProps {
  readonly message: ChatMessage
  /** The first of several messages of the same sender. */
  readonly startsGroup: boolean
  readonly startsDay: boolean
  readonly startsUnread: boolean
}

export interface MessageProps {
  readonly message: ChatMessage
}

export interface MessagePartProps extends MessageProps {
  /** Whether its controls are reached by Tab: those of one row are. */
  readonly isActive: boolean
}

/** Addresses of smaller pictures of a file. */
export interface Thumbnails {
  readonly medium: string
  readonly large: string
}

export interface AttachmentProps {
  readonly attachment: StoredFile
  readonly thumbnails?: Thumbnails | undefined
  readonly type: string
  readonly isActive: boolean
}

export interface MessageListProps {
  readonly target: Target
  /** Other messages than those of the conversation: of a thread. */
  readonly list?: LiveList<ChatMessage>
  readonly label?: string
}

export interface ComposerProps {
  readonly target: Target
  /** Where it goes, unless into the conversation. */
  readonly onSend?: (draft: MessageDraft) => SentMessage
  readonly placeholder?: string
}

export interface TargetProps {
  readonly target: Target
}

export interface HeaderProps extends TargetProps {
  readonly onBack?: (() => void) | undefined
  /** Buttons at its end. */
  readonly children?: ReactNode
}

export interface Person {
  readonly uid: string
  readonly name: string
  readonly avatar?: string | undefined
}

/** The parts that an application can replace, each by a component with the same props. */
export interface Slots {
  readonly Avatar: ComponentType<AvatarProps>
  readonly PresenceBadge: ComponentType<{ readonly uid: string }>
  readonly UnreadBadge: ComponentType<{ readonly count: number }>
  readonly ConnectionBanner: ComponentType
  readonly ConversationRow: ComponentType<ConversationRowProps>
  readonly ConversationHeader: ComponentType<HeaderProps>
  readonly MessageList: ComponentType<MessageListProps>
  readonly MessageRow: ComponentType<MessageRowProps>
  readonly MessageText: ComponentType<MessagePartProps>
  readonly CustomMessage: ComponentType<MessageProps>
  readonly SystemMessage: ComponentType<MessageProps>
  readonly Attachment: ComponentType<AttachmentProps>
  readonly QuotedMessage: ComponentType<MessagePartProps>
  readonly Reactions: ComponentType<MessagePartProps>
  readonly Receipt: ComponentType<MessageProps>
  readonly MessageActions: ComponentType<MessageProps>
  readonly DaySeparator: ComponentType<{ readonly at: number }>
  readonly UnreadSeparator: ComponentType
  readonly TypingIndicator: ComponentType<TargetProps>
  readonly Composer: ComponentType<ComposerProps>
  readonly MentionOption: ComponentType<{ readonly person: Person }>
  readonly MemberRow: ComponentType<{ readonly member: Member }>
  readonly SearchResult: ComponentType<{ readonly message: Message; readonly words: string }>
  /** In the place of a list without rows. */
  readonly Empty: ComponentType<{ readonly text: string }>
}
