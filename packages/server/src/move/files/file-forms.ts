import { differingIn, messageForm, textOf } from '../forms.ts'
import type { ListedMessage } from '../listed.ts'
import type { Difference } from '../spool.ts'
import { type Attachment, attachmentsIn, type FileHosts, linksOf, nameOf } from './links.ts'

type Data = Readonly<Record<string, unknown>>

/** A message on both sides, as texts to compare: a file that was moved is what its link was. */
function formsOf(old: ListedMessage, fresh: ListedMessage): readonly [string, string] {
  const there = linksOf(old)
  const here = attachmentsIn(fresh.data)
  const isMoved = here.map((file, nth) => isOf(file, there[nth]))
  if (!isMoved.includes(true)) return [textOf(messageForm(old)), textOf(messageForm(fresh))]
  const attachments = here.map((file, nth) => (isMoved[nth] ? there[nth] : file))
  const { url, ...said } = fresh.data ?? {}
  const linked = { ...said, attachments, url: isMoved[0] ? old.data?.url : url }
  const before = { ...withoutThumbnails(old.data), attachments: there }
  return [
    textOf(messageForm({ ...old, data: before })),
    textOf(messageForm({ ...fresh, data: withoutThumbnails(linked) })),
  ]
}

export function isSame(old: ListedMessage, fresh: ListedMessage): boolean {
  const [before, after] = formsOf(old, fresh)
  return before === after
}

/** Files that a move leaves where they are. */
export interface LeftFiles {
  readonly hosts: FileHosts
  /** How many of each message the move could not bring. */
  readonly known: ReadonlyMap<string, number>
}

/** What differs between a message here and there; also a file that should have been moved. */
export function differencesOf(
  old: ListedMessage | undefined,
  fresh: ListedMessage | undefined,
  files: LeftFiles | undefined,
): Difference[] {
  const id = old?.id ?? fresh?.id ?? ''
  const kind = 'messages'
  if (!fresh) return [{ kind, id, what: 'missing' }]
  if (!old) return [{ kind, id, what: 'extra' }]
  const [before, after] = formsOf(old, fresh)
  const differing = before === after ? [] : differingIn(before, after)
  const links = files ? linksOf(fresh).filter((one) => files.hosts.leads(one)).length : 0
  const isLeft = links > (files?.known.get(id) ?? 0)
  return [
    ...(differing.length > 0 ? [{ kind, id, what: 'differs', fields: differing } as const] : []),
    ...(isLeft ? [{ kind: 'files', id, what: 'missing' } as const] : []),
  ]
}

/** Written anew when they are checked: they have another size then. */
const rewritten = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** Whether a file of the new side is the one that a link leads to. */
function isOf(file: Attachment, link: Attachment | undefined): boolean {
  if (file.uploadId === undefined || !link || file.name !== nameOf(link)) return false
  const { mimeType = '' } = file
  const isSized = /^\d+$/.test(String(link.size ?? '')) && !rewritten.includes(mimeType)
  if (isSized && Number(link.size) !== Number(file.size)) return false
  // Pictures, sound and video are told apart; what else there is has many names.
  const kind = kindOf(link.mimeType)
  return kind === undefined || kind === kindOf(mimeType)
}

function kindOf(mimeType = ''): string | undefined {
  return /^(?:image|audio|video)(?=\/)/.exec(mimeType)?.[0]
}

const [injected, generated] = ['@injected', 'thumbnail-generation']

/** Each side makes its own. */
function withoutThumbnails(data: Data = {}): Data {
  const { metadata, ...said } = data
  const { [injected]: put, ...rest } = objectIn(metadata)
  const { extensions, ...beside } = objectIn(put)
  const { [generated]: _, ...others } = objectIn(extensions)
  const kept = { ...beside, ...(hasAny(others) && { extensions: others }) }
  const left = { ...rest, ...(hasAny(kept) && { [injected]: kept }) }
  return hasAny(left) ? { ...said, metadata: left } : said
}

function objectIn(value: unknown): Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function hasAny(object: object): boolean {
  return Object.keys(object).length > 0
}
