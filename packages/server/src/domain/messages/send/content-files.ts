import { Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { entryFileOf, requireUsable } from '../../files/index.ts'
import type { EntryFile } from '../../log/entries/index.ts'
import type { Content } from './content.ts'

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
  const { attachments } = content.data
  const given: readonly Attachment[] = Array.isArray(attachments) ? attachments : []
  const ids = [...new Set(given.flatMap(({ uploadId }) => uploadId ?? []))]
  if (ids.length === 0) return content
  if (ids.length > maxFiles) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  const unknown = ids.find((id) => !uuid.test(id))
  if (unknown !== undefined) throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId: unknown })
  const files = await requireUsable(ctx, ids, known)
  const asNumber = ctx.app.settings['messages.attachmentSizeAsNumber'] === true
  const described = given.map((attachment) => {
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
