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
  if (category === 'call') return subjectsOfCall(data)
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
