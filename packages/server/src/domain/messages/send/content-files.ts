import type { AppIdentity } from '../../../pipeline/caller.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { entryFileOf, requireUsable } from '../../files/index.ts'
import type { EntryFile } from '../../log/entries/index.ts'
import type { Content } from './content.ts'

type FileRow = Parameters<typeof entryFileOf>[0]

interface Attachment {
  readonly uploadId?: string
}

const maxFiles = 50
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** With what is known of the uploads that it names. `known`: the message has named them before. */
export async function withFiles(
  ctx: Pick<ReadCtx, 'app' | 'db' | 'caller' | 'actor'>,
  content: Content,
  known: readonly EntryFile[] = [],
): Promise<Content> {
  const ids = uploadsIn(content)
  if (ids.length === 0) return content
  return describedBy(ctx.app, content, await requireUsable(ctx, ids, known))
}

/** The uploads that it names, each once. */
export function uploadsIn({ data: { attachments } }: Pick<Content, 'data'>): readonly string[] {
  if (attachments === undefined) return []
  const ids = [...new Set(attachmentsIn(attachments).flatMap(({ uploadId }) => uploadId ?? []))]
  if (ids.length > maxFiles) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  const unknown = ids.find((id) => !uuid.test(id))
  if (unknown !== undefined) throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId: unknown })
  return ids
}

/** Its attachments say what the uploads are. */
export function describedBy(
  { settings }: Pick<AppIdentity, 'settings'>,
  content: Content,
  files: readonly FileRow[],
): Content {
  const asNumber = settings['messages.attachmentSizeAsNumber'] === true
  const described = attachmentsIn(content.data.attachments).map((attachment) => {
    const file = files.find(({ fileId }) => fileId === attachment.uploadId)
    if (!file) return attachment
    const { fileId: uploadId, name, mimeType, size } = file
    const [, extension = ''] = /\.([A-Za-z0-9]{1,10})$/.exec(name) ?? []
    return { uploadId, name, mimeType, extension, size: asNumber ? size : String(size) }
  })
  return {
    ...content,
    data: { ...content.data, attachments: described },
    files: files.map(entryFileOf),
  }
}

function attachmentsIn(attachments: unknown): readonly Attachment[] {
  return Array.isArray(attachments) ? attachments : []
}
