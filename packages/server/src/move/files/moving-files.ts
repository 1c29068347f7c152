import { rmSync } from 'node:fs'
import type { ListedMessage } from '../listed.ts'
import type { Side } from '../side.ts'
import { FileFetcher } from './fetching.ts'
import { type FileKey, FileRecord } from './file-record.ts'
import {
  attachmentOf,
  attachmentsIn,
  type FileHosts,
  identityOf,
  type Link,
  linksOf,
  nameOf,
  withoutUploads,
} from './links.ts'
import { askFor, bring, cancel, checked, findUpload, type Upload } from './uploading.ts'

interface FileOptions {
  readonly hosts: FileHosts
  readonly perSecond: number
  /** Of the state; what belongs to files lies beside it. */
  readonly statePath: string
}

/** A file of a message. */
export interface Wish extends FileKey {
  readonly attachment: Link
}

const anyType = 'application/octet-stream'
const mimeType = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}\/[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}$/

/** Brings files over, each once, and knows which upload a link has become. */
export class MovingFiles {
  readonly hosts: FileHosts
  readonly record: FileRecord
  readonly #fetcher: FileFetcher
  readonly #statePath: string

  constructor({ hosts, perSecond, statePath }: FileOptions) {
    this.hosts = hosts
    this.record = new FileRecord(`${statePath}.files`)
    this.#fetcher = new FileFetcher(hosts, perSecond)
    this.#statePath = statePath
  }

  /** Messages of which files are to be moved are kept in mind. */
  queue(messages: readonly ListedMessage[]): void {
    const some = messages.filter((message) => this.wishesOf(message).length > 0)
    this.record.queue(some.map(({ id }) => id))
  }

  /** The files that a message links to. */
  wishesOf(message: ListedMessage): Wish[] {
    const { sender, deletedAt } = message
    if (deletedAt !== undefined) return []
    return linksOf(message)
      .filter((one) => this.hosts.leads(one))
      .map((attachment) => ({ sender, link: identityOf(attachment), attachment }))
  }

  /** What a message says, with uploads in the place of links that have become some. */
  named(message: ListedMessage, said: Readonly<Record<string, unknown>>) {
    const uploads = new Map(
      this.wishesOf(message).flatMap((wish) => {
        const { state, uploadId } = this.record.find(wish) ?? {}
        return state === 'ready' && uploadId ? [[wish.link, { uploadId }] as const] : []
      }),
    )
    if (uploads.size === 0) return withoutUploads(said)
    const attachments = linksOf(message).map((one) => {
      const upload = this.hosts.leads(one) ? uploads.get(identityOf(one)) : undefined
      const { uploadId: _, ...link } = one
      return upload ?? link
    })
    return { ...said, attachments }
  }

  /** What a message says on the new side, with the links that its files were on the old one. */
  linked(said: Readonly<Record<string, unknown>>) {
    const attachments = attachmentsIn(said)
    if (attachments.length === 0) return said
    const links = attachments.map((one) => {
      const link = one.uploadId === undefined ? undefined : this.record.linkOf(one.uploadId)
      const { uploadId: _, ...shown } = one
      return link === undefined ? shown : attachmentOf(link, one)
    })
    return { ...said, attachments: links, url: links[0]?.url }
  }

  /** What has become of a file is in the record afterwards. `slot`: of those that are moved at once. */
  async move(to: Side, wish: Wish, slot: number): Promise<void> {
    const known = this.record.find(wish)
    if (known?.state === 'ready' || known?.state === 'left') return
    const begun = known && (await findUpload(to, known.uploadId))
    if (begun && begun.state !== 'waiting') return this.#settle(to, wish, begun)
    const path = `${this.#statePath}.file-${slot}`
    try {
      const whole = await this.#fetch(to, wish, begun, path)
      if (whole) await this.#bring(to, wish, whole, path)
    } finally {
      rmSync(path, { force: true })
    }
  }

  /** Its size is asked for before its bytes: what is too large is not fetched. Undefined: it stays a link. */
  async #fetch(
    to: Side,
    wish: Wish,
    begun: Upload | undefined,
    path: string,
  ): Promise<Upload | undefined> {
    let upload = begun
    const ask = async (size: number, type: string | undefined): Promise<string | undefined> => {
      if (upload?.size === size) return undefined
      if (upload) await cancel(to, upload.uploadId)
      const { attachment, sender } = wish
      const types = [attachment.mimeType, type].filter((one) => mimeType.test(one ?? ''))
      const wanted = { name: nameOf(attachment), size, mimeType: types[0] ?? anyType }
      const asked = await askFor(to, sender, wanted)
      if (typeof asked === 'string') return asked
      upload = asked
      this.#save(wish, 'asked', asked)
      return undefined
    }
    const fetched = await this.#fetcher.get(wish.attachment.url, path, async ({ size, type }) =>
      size === undefined ? undefined : ask(size, type),
    )
    const why = fetched.is === 'left' ? fetched.why : await ask(fetched.size, fetched.type)
    if (why === undefined) return upload
    if (upload) await cancel(to, upload.uploadId)
    this.#leave(wish, why)
    return undefined
  }

  async #bring(to: Side, wish: Wish, asked: Upload, path: string): Promise<void> {
    const complete = await bring(to, asked, path)
    this.#save(wish, 'complete', complete)
    const end = await checked(to, complete)
    const isMistyped = end?.state === 'refused' && end.why?.includes('declared') === true
    if (!isMistyped) return this.#settle(to, wish, end ?? complete)
    // The old side does not look at what a file is: what it says of the type may be wrong.
    await cancel(to, asked.uploadId)
    const { attachment, sender } = wish
    const wanted = { name: nameOf(attachment), size: asked.size, mimeType: anyType }
    const again = await askFor(to, sender, wanted)
    if (typeof again === 'string') return this.#leave(wish, again)
    this.#save(wish, 'asked', again)
    await this.#settle(to, wish, await bring(to, again, path))
  }

  async #settle(to: Side, wish: Wish, complete: Upload): Promise<void> {
    this.#save(wish, 'complete', complete)
    const end = await checked(to, complete)
    if (end?.state === 'ready') return this.#save(wish, 'ready', end)
    // One that is checked for long is looked at again when the move is called again.
    if (end?.state === 'refused') this.#leave(wish, `is refused: ${end.why}`)
  }

  #save({ sender, link }: Wish, state: 'asked' | 'complete' | 'ready', { uploadId }: Upload): void {
    this.record.save({ sender, link }, { state, uploadId, why: '' })
  }

  #leave({ sender, link }: Wish, why: string): void {
    this.record.save({ sender, link }, { state: 'left', uploadId: '', why })
  }
}
