import { PlainError } from '../../plain-error.ts'
import type { ListedMessage } from '../listed.ts'

type Data = Readonly<Record<string, unknown>>

/** Of a message, as lists show it. */
export interface Attachment {
  readonly uploadId?: string
  readonly url?: string
  readonly name?: string
  readonly mimeType?: string
  readonly size?: string | number
}

/** An attachment that leads to a file. */
export interface Link extends Attachment {
  readonly url: string
}

export function attachmentsIn({ attachments }: Data = {}): readonly Attachment[] {
  return Array.isArray(attachments) ? attachments.map(Object) : []
}

/** An upload is known to its own service alone: elsewhere its address is a link. */
export function withoutUploads(data: Data): Data {
  if (!Array.isArray(data.attachments)) return data
  return { ...data, attachments: attachmentsIn(data).map(({ uploadId: _, ...link }) => link) }
}

const mediaTypes = ['image', 'file', 'audio', 'video']

/** Its attachments; of a media message that has a link alone, that. */
export function linksOf({ category, type, data }: ListedMessage): readonly Attachment[] {
  const attachments = attachmentsIn(data)
  if (attachments.length > 0 || category !== 'message' || !mediaTypes.includes(type)) {
    return attachments
  }
  return typeof data?.url === 'string' ? [{ url: data.url }] : []
}

const ofUpload = 'upload '

/** The same file has the same, also where its address is another each time. */
export function identityOf({ uploadId, url }: Link): string {
  return uploadId === undefined ? url : `${ofUpload}${uploadId}`
}

/** As its own service takes it. */
export function attachmentOf(identity: string, described: Attachment): Attachment {
  const { uploadId: _, ...rest } = described
  if (identity.startsWith(ofUpload)) return { uploadId: identity.slice(ofUpload.length) }
  return { ...rest, url: identity }
}

const longestName = 255

export function nameOf({ name, url }: Attachment): string {
  const given = typeof name === 'string' ? name : lastOf(url)
  return given.slice(0, longestName) || 'file'
}

function lastOf(url = ''): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Where files of the other side lie: hosts, with their ports if they have any, or `*.` and a domain. */
export class FileHosts {
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    const wrong = names.find((name) => !/^(?:\*\.)?[a-z0-9.-]+(?::\d+)?$/.test(name))
    if (wrong !== undefined) throw new PlainError(`--file-hosts: ${wrong} is no host.`)
    this.names = names
  }

  static parse(text: string): FileHosts {
    const names = text.split(',').map((name) => name.trim().toLowerCase())
    return new FileHosts(names.filter((name) => name !== ''))
  }

  has(url: string): boolean {
    const { protocol, host } = URL.parse(url) ?? { protocol: '', host: '' }
    if (protocol !== 'https:' && protocol !== 'http:') return false
    return this.names.some((name) =>
      name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name,
    )
  }

  /** Leads to a file there. */
  leads(attachment: Attachment): attachment is Link {
    return typeof attachment.url === 'string' && this.has(attachment.url)
  }
}
