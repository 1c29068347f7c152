import type { Operand } from '@chorale/contract/rules'
import type { EntryFile } from '../log/entries/index.ts'
import type { Subjects } from './engine/rule-set.ts'

/** A message, as far as rules look at it. */
export interface Spoken {
  readonly category: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** Of uploads that its attachments name, where that is known. */
  readonly files?: readonly EntryFile[]
}

const link = /\b(?:https?:\/\/|www\.)\S+/gi
const media = ['image', 'video', 'audio', 'file'] as const
type MediaKind = (typeof media)[number]

/** What is said, by what conditions call it. Undefined: rules do not look at such a thing. */
export function subjectsOf(spoken: Spoken): Subjects | undefined {
  const { category, type, data } = spoken
  if (category === 'call') return subjectsOfCall(data)
  const text = typeof data.text === 'string' ? data.text : ''
  const links = text.match(link)?.join('\n')
  const custom = stringsIn([data.customData ?? [], data.interactiveData ?? []]).join('\n')
  return {
    ...(text !== '' && { text }),
    ...(links !== undefined && { link: links }),
    ...(custom !== '' && { custom }),
    ...(data.attachments !== undefined && subjectsOfFiles(type, attachmentsIn(spoken))),
  }
}

/** Whether it is about files, and not about words. */
export function isMedia(operand: Operand): boolean {
  return media.some((one) => one === operand)
}

interface Attachment {
  readonly texts: string
  /** What an upload is, or may be; of a link nobody knows. */
  readonly kinds: readonly MediaKind[]
}

/** What the message says that they are, and what they are: a picture may come as a file. */
function subjectsOfFiles(type: string, attachments: readonly Attachment[]): Subjects {
  const said = media.find((one) => one === type)
  const found = media.flatMap((kind) => {
    const of = attachments.filter(({ kinds }) => kind === said || kinds.includes(kind))
    return of.length === 0 ? [] : [[kind, of.map(({ texts }) => texts).join('\n')]]
  })
  return Object.fromEntries(found)
}

/** Without those that were refused: nothing is left of them. */
function attachmentsIn({ data, files = [] }: Spoken): Attachment[] {
  const given: readonly unknown[] = Array.isArray(data.attachments) ? data.attachments : []
  return given.flatMap((attachment) => {
    const { uploadId, mimeType } = Object(attachment)
    const file = files.find(({ id }) => id === uploadId)
    if (file?.state === 'refused') return []
    const texts = stringsIn(attachment).join('\n')
    const kinds = uploadId === undefined ? [] : kindsOf(file?.about?.type ?? mimeType, file)
    return texts === '' ? [] : [{ texts, kinds }]
  })
}

/** What was brought without a type may be anything, until it is checked. */
function kindsOf(type: unknown, file: EntryFile | undefined): readonly MediaKind[] {
  if (type === 'application/octet-stream' && !file?.about) return media
  return [media.find((kind) => String(type).startsWith(`${kind}/`)) ?? 'file']
}

/** A call says what is going on; whatever else stands there is words. */
function subjectsOfCall({ action: _, text, ...rest }: Spoken['data']): Subjects | undefined {
  const custom = stringsIn(rest).join('\n')
  const subjects = {
    ...(typeof text === 'string' && text !== '' && { text }),
    ...(custom !== '' && { custom }),
  }
  return Object.keys(subjects).length > 0 ? subjects : undefined
}

/** Every text in what an app may have nested as it liked; the edge bounds the depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
