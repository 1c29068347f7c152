export { type Chat, type ChatOptions, createChat } from './chat/chat.ts'
export type { ConversationItem } from './chat/conversation-rows.ts'
export type {
  ChatConversation,
  CustomEvent,
  MessageRef,
  SentMessage,
  Thread,
} from './chat/conversation-types.ts'
export type {
  Attachment,
  CustomDraft,
  FilesDraft,
  MediaDraft,
  MessageDraft,
  TextDraft,
} from './chat/drafts.ts'
export type { ListState, Live, LiveList } from './chat/live.ts'
export type { ChatMessage, ReceiptMark, Receipts } from './chat/messages.ts'
export type { ChatGroups, ChatUsers, GroupQuery, Presence, UserQuery } from './chat/people.ts'
export type { CallOptions, DeviceClient, ServerClient } from './clients.ts'
export type * from './contract.generated.ts'
export { ChoraleError, SessionError } from './errors.ts'
export { type FileUploadsOptions, fileUploads } from './files/file-uploads.ts'
export type { StreamSource, UploadSource } from './files/source.ts'
export {
  type FileUpload,
  type Upload,
  type UploadCalls,
  type UploadOptions,
  type UploadProgress,
  upload,
} from './files/upload.ts'
export { indexedDbStorage } from './indexed-db.ts'
export {
  type DeviceOptions,
  deviceClient,
  type RestOptions,
  restClient,
} from './rest.ts'
export type { Ask } from './session/ask.ts'
export type { FileUploads } from './session/attached.ts'
export type { FrameOf, SessionEvents } from './session/events.ts'
export type { HistoryOptions } from './session/history.ts'
export type { ConnectionState } from './session/link.ts'
export type { ClosedReason, WaitingReason } from './session/link-reasons.ts'
export type { ConnectOptions } from './session/options.ts'
export type { Draft, Outgoing, Sent } from './session/outgoing.ts'
export { connect, type Session } from './session/session.ts'
export type { SessionStorage } from './session/storage.ts'
export { type Target, targetOf } from './session/targets.ts'
export type { Entry, Positions } from './session/timeline.ts'
export type { SessionPosition } from './session/track.ts'
