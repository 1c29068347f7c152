// Names and values as the hosted service documents them.

export const USER_STATUS = { ONLINE: 'online', OFFLINE: 'offline' } as const
export const RECEIVER_TYPE = { USER: 'user', GROUP: 'group' } as const
export const MESSAGE_TYPE = {
  TEXT: 'text',
  IMAGE: 'image',
  VIDEO: 'video',
  AUDIO: 'audio',
  FILE: 'file',
  CUSTOM: 'custom',
} as const
export const CATEGORY_MESSAGE = 'message'
export const CATEGORY_CUSTOM = 'custom'
export const CATEGORY_ACTION = 'action'
export const CATEGORY_CALL = 'call'
export const CATEGORY_INTERACTIVE = 'interactive'
export const GROUP_TYPE = { PUBLIC: 'public', PASSWORD: 'password', PRIVATE: 'private' } as const
export const GROUP_MEMBER_SCOPE = {
  ADMIN: 'admin',
  MODERATOR: 'moderator',
  PARTICIPANT: 'participant',
} as const
export const CALL_TYPE = { AUDIO: 'audio', VIDEO: 'video' } as const
export const CALL_STATUS = {
  INITIATED: 'initiated',
  ONGOING: 'ongoing',
  UNANSWERED: 'unanswered',
  REJECTED: 'rejected',
  BUSY: 'busy',
  CANCELLED: 'cancelled',
  ENDED: 'ended',
} as const
export const REACTION_ACTION = {
  REACTION_ADDED: 'message_reaction_added',
  REACTION_REMOVED: 'message_reaction_removed',
} as const
export const AttachmentType = {
  IMAGE: 'image',
  VIDEO: 'video',
  AUDIO: 'audio',
  FILE: 'file',
} as const
export const ModerationStatus = {
  PENDING: 'pending',
  APPROVED: 'approved',
  DISAPPROVED: 'disapproved',
} as const
export const StorageMode = { LOCAL: 'local', SESSION: 'session' } as const
