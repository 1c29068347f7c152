import type { FileAddresses } from '../../storage/addresses.ts'
import type { EntryFile, EntryRow } from '../log/entries/index.ts'

interface Attachment {
  readonly uploadId?: unknown
  readonly name?: string
  readonly mimeType?: string
  readonly url?: string
}

/** Through whose eyes; undefined: the app's own, or those of all `members` at once. */
interface FileView {
  readonly viewer: string | undefined
  readonly members?: boolean | undefined
  readonly addresses?: FileAddresses | undefined
}

/**
 * What an entry says, as JSON text. Files of uploads get an address, which is worth something for a
 * while; only those that stand beside the data, where nobody but the service writes.
 */
export function saidIn({ data, extra, sender }: EntryRow, appId: string, view: FileView): string {
  const { files } = extra ?? {}
  if (!files || !view.addresses) return data
  const said: { readonly attachments?: unknown } = JSON.parse(data)
  if (!Array.isArray(said.attachments)) return data
  const { addresses } = view
  const show = (attachment: Attachment): Attachment => {
    const file = files.find(({ id }) => id === attachment.uploadId)
    if (!file) return attachment
    const { name = 'file', mimeType: type = '' } = attachment
    const url = isShown(file, sender, view) ? addresses.of(appId, file, { name, type }) : undefined
    return {
      ...attachment,
      ...(file.state && { state: file.state }),
      ...(url !== undefined && { url }),
    }
  }
  const attachments: readonly Attachment[] = said.attachments.map(show)
  const [first] = attachments
  const url = first?.url
  return JSON.stringify({ ...said, attachments, ...(url !== undefined && { url }) })
}

/** Until it is ready, for its sender and the app; one that is refused, for nobody. */
function isShown({ state }: EntryFile, sender: string, { viewer, members }: FileView): boolean {
  if (state === undefined) return true
  const isApp = viewer === undefined && !members
  return state === 'checking' && (isApp || viewer === sender)
}

export function hasUnready({ extra }: EntryRow): boolean {
  return extra?.files?.some(({ state }) => state !== undefined) ?? false
}
