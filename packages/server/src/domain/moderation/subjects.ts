import type { Subjects } from './engine/rule-set.ts'

/** A message, as far as rules look at it. */
export interface Spoken {
  readonly category: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const link = /\b(?:https?:\/\/|www\.)\S+/gi
const media = ['image', 'video', 'audio', 'file'] as const

/** What is said, by what conditions call it. Undefined: rules do not look at such a thing. */
export function subjectsOf({ category, type, data }: Spoken): Subjects | undefined {
  if (category === 'call') return undefined
  const text = typeof data.text === 'string' ? data.text : ''
  const links = text.match(link)?.join('\n')
  const custom = stringsIn([data.customData ?? [], data.interactiveData ?? []]).join('\n')
  const kind = media.find((one) => one === type)
  const files = stringsIn(data.attachments ?? []).join('\n')
  return {
    ...(text !== '' && { text }),
    ...(links !== undefined && { link: links }),
    ...(custom !== '' && { custom }),
    ...(kind && files !== '' && { [kind]: files }),
  }
}

/** Every text in what an app may have nested as it liked; the edge bounds the depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
