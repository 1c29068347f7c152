import type { FileAddresses } from '../../storage/addresses.ts'
import type { EntryFile, EntryRow } from '../log/entries/index.ts'

interface Attachment {
  readonly uploadId?: unknown
  readonly name?: string
  readonly mimeType?: string
  readonly extension?: string
  readonly size?: string | number
  readonly state?: EntryFile['state'] | undefined
  readonly url?: string
}

/** The addresses of thumbnails, by the names that existing screens read. */
interface Thumbnails {
  readonly url_small: string | undefined
  readonly url_medium: string | undefined
  readonly url_large: string | undefined
}

/** Through whose eyes; undefined: the app's own, or those of several at once. */
interface FileView {
  readonly viewer: string | undefined
  readonly addresses?: FileAddresses | undefined
}

interface Said {
  readonly attachments?: unknown
  readonly metadata?: unknown
}

const thumbnailType = 'image/webp'

/**
 * What an entry says, as JSON text. Files of uploads get an address, which is worth something for a
 * while; only those that stand beside the data, where nobody but the service writes.
 */
export function saidIn(row: EntryRow, appId: string, view: FileView): string {
  const { addresses } = view
  const files = row.extra?.files
  if (!files || !addresses) return row.data
  const print = () => printSaid(row, files, appId, { ...view, addresses })
  // Of a file that is not ready, each may see something else.
  return hasUnready(row) ? print() : addresses.printed(appId, row.data, files, print)
}

function printSaid(
  { data, sender }: EntryRow,
  files: readonly EntryFile[],
  appId: string,
  view: FileView & { readonly addresses: FileAddresses },
): string {
  const said: Said = JSON.parse(data)
  if (!Array.isArray(said.attachments)) return data
  const { addresses } = view
  const thumbnails = new Map<Attachment, Thumbnails>()
  const show = (attachment: Attachment): Attachment => {
    const file = files.find(({ id }) => id === attachment.uploadId)
    if (!file) return attachment
    const described = describe(attachment, file)
    const { name = 'file', mimeType: type = '' } = described
    const part = file.about?.part
    const url = isShown(file, sender, view)
      ? addresses.of(appId, file, { name, type, part })
      : undefined
    const shown = { ...described, ...(url !== undefined && { url }) }
    if (file.about?.thumbhash !== undefined) {
      thumbnails.set(shown, thumbnailsOf(addresses, appId, file))
    }
    return shown
  }
  const attachments: readonly Attachment[] = said.attachments.map(show)
  const [first] = attachments
  const url = first?.url
  return JSON.stringify({
    ...said,
    ...(thumbnails.size > 0 && {
      metadata: withThumbnails(said.metadata, attachments, thumbnails),
    }),
    attachments,
    ...(url !== undefined && { url }),
  })
}

/** With what checks have found out; a size stays a number or a text, as it was. */
function describe(attachment: Attachment, { state, about }: EntryFile): Attachment {
  if (!about) return state ? { ...attachment, state } : attachment
  const { part: _, type: mimeType, size, ...more } = about
  const asText = typeof attachment.size === 'string'
  return { ...attachment, mimeType, size: asText ? String(size) : size, ...more }
}

function thumbnailsOf(addresses: FileAddresses, appId: string, file: EntryFile): Thumbnails {
  const at = (part: string) =>
    addresses.of(appId, file, { name: `${part}.webp`, type: thumbnailType, part })
  return { url_small: at('small'), url_medium: at('medium'), url_large: at('large') }
}

/** Where existing screens look for them. */
function withThumbnails(
  metadata: unknown,
  attachments: readonly Attachment[],
  thumbnails: ReadonlyMap<Attachment, Thumbnails>,
) {
  const before = objectIn(metadata)
  const injected = objectIn(before['@injected'])
  const [of] = thumbnails.values()
  const generated = {
    ...of,
    attachments: attachments.map((attachment) => {
      const { name, extension, mimeType, url } = attachment
      const found = thumbnails.get(attachment)
      return {
        data: { name, extension, mimeType, url, ...(found && { thumbnails: found }) },
        error: found ? null : 'There are no thumbnails of it.',
      }
    }),
  }
  const extensions = { ...objectIn(injected.extensions), 'thumbnail-generation': generated }
  return { ...before, '@injected': { ...injected, extensions } }
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** Until it is ready, for its sender alone; one that is refused, for nobody. */
function isShown({ state }: EntryFile, sender: string, { viewer }: FileView): boolean {
  return state === undefined || (state === 'checking' && viewer === sender)
}

/** Addresses of what its files look like: of thumbnails, where there are some, or of the pictures. */
export function picturesOf(
  { data, extra }: EntryRow,
  appId: string,
  addresses: FileAddresses,
): string[] {
  const { files = [] } = extra ?? {}
  const { attachments }: Said = JSON.parse(data)
  const named: readonly Attachment[] = Array.isArray(attachments) ? attachments : []
  return named.flatMap((attachment) => {
    const file = files.find(({ id }) => id === attachment.uploadId)
    if (!file || file.state !== undefined) return []
    if (file.about?.thumbhash !== undefined) {
      return thumbnailsOf(addresses, appId, file).url_large ?? []
    }
    const { name = 'file', mimeType: type = '' } = describe(attachment, file)
    if (!type.startsWith('image/')) return []
    return addresses.of(appId, file, { name, type, part: file.about?.part }) ?? []
  })
}

export function hasUnready({ extra }: EntryRow): boolean {
  return extra?.files?.some(({ state }) => state !== undefined) ?? false
}
