import type { Message } from '../contract.generated.ts'
import type { Draft } from '../session/outgoing.ts'
import type { Target } from '../session/targets.ts'

/** A file of a message. */
export type Attachment = NonNullable<Message['data']['attachments']>[number]

interface DraftFields {
  /** Anything of the app's own, kept with the message. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Words to find the message by. */
  readonly tags?: readonly string[]
  /** Id of a message of the same conversation, which is shown with this one. */
  readonly quotedMessageId?: string
  /** Chosen here unless given: a message that is sent again with the same one is stored once. */
  readonly clientId?: string
}

/** A text. */
export interface TextDraft extends DraftFields {
  /** What it says. */
  readonly text: string
}

/** A file at an address; `text` is its caption. */
export interface MediaDraft extends DraftFields {
  /** The kind of file. */
  readonly type: 'image' | 'video' | 'audio' | 'file'
  /** The files: their addresses, names and sizes. */
  readonly attachments: readonly Attachment[]
  /** The caption. */
  readonly text?: string
}

/** Files of this device, which are uploaded first; `text` is their caption. */
export interface FilesDraft extends DraftFields {
  /** The kind of file. */
  readonly type: 'image' | 'video' | 'audio' | 'file'
  /** A `File` has a name, which readers see. */
  readonly files: readonly (Blob & { readonly name?: string })[]
  /** The caption. */
  readonly text?: string
}

/** A message of a type of the app's own. */
export interface CustomDraft extends DraftFields {
  /** The name of the type. */
  readonly type: string
  /** The content, which the app understands. */
  readonly customData: Readonly<Record<string, unknown>>
  /** What lists and notifications show of it. */
  readonly text?: string
}

/** What `send` takes; a string is a text. */
export type MessageDraft = string | TextDraft | MediaDraft | FilesDraft | CustomDraft

type Content = Pick<Draft, 'category' | 'type'> & { readonly data: Record<string, unknown> }

function contentOf(draft: MessageDraft): Content {
  if (typeof draft === 'string') return { category: 'message', type: 'text', data: { text: draft } }
  const { metadata, text } = draft
  const data = { ...(text !== undefined && { text }), ...(metadata && { metadata }) }
  if ('customData' in draft) {
    const { type, customData } = draft
    return { category: 'custom', type, data: { ...data, customData } }
  }
  if ('attachments' in draft) {
    const { type, attachments } = draft
    return { category: 'message', type, data: { ...data, attachments } }
  }
  const type = 'files' in draft ? draft.type : 'text'
  return { category: 'message', type, data }
}

export function draftFor(target: Target, draft: MessageDraft, parentId?: string): Draft {
  const { tags, quotedMessageId, clientId } = typeof draft === 'string' ? {} : (draft as TextDraft)
  return {
    receiver: target.receiver,
    receiverType: target.receiverType,
    ...contentOf(draft),
    ...(typeof draft === 'object' && 'files' in draft && { files: draft.files }),
    ...(tags && { tags }),
    ...(quotedMessageId !== undefined && { quotedMessageId }),
    ...(clientId !== undefined && { clientId }),
    ...(parentId !== undefined && { parentId }),
  }
}

/** An edit replaces the whole content. */
export function editOf(draft: MessageDraft): {
  readonly data: Record<string, unknown>
  readonly tags?: readonly string[]
} {
  const { tags } = typeof draft === 'string' ? {} : draft
  return { data: contentOf(draft).data, ...(tags && { tags }) }
}
