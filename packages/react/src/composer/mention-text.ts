import type { Message } from '@chorale/sdk'
import { plainText } from '../messages/message-parts.ts'
import type { Person } from '../provider/slots.ts'

/** What is typed after an @ at the cursor, and where the @ is. */
export interface MentionQuery {
  readonly at: number
  readonly words: string
}

const begun = /(?:^|[\s(])@([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]*)?)$/u

export function queryAt(text: string, cursor: number): MentionQuery | undefined {
  const found = begun.exec(text.slice(0, cursor))
  const words = found?.[1]
  return words === undefined ? undefined : { at: cursor - words.length - 1, words }
}

/** Whose name or uid begins with the words, or has a word that does. */
export function matching(people: readonly Person[], words: string): Person[] {
  const wanted = words.toLocaleLowerCase()
  return people.filter(({ uid, name }) => {
    const known = name.toLocaleLowerCase()
    return known.startsWith(wanted) || known.includes(` ${wanted}`) || uid.startsWith(wanted)
  })
}

export interface Typed {
  readonly text: string
  readonly cursor: number
}

/** The text with the name in the place of what was typed of it. */
export function withMention(
  text: string,
  cursor: number,
  query: MentionQuery,
  name: string,
): Typed {
  const before = `${text.slice(0, query.at)}@${name} `
  return { text: before + text.slice(cursor).replace(/^ /, ''), cursor: before.length }
}

/** As it is sent: names that were chosen become marks with uids, the longest names first. */
export function marked(text: string, mentioned: readonly Person[]): string {
  const longest = mentioned.toSorted((a, b) => b.name.length - a.name.length)
  return longest.reduce((now, { uid, name }) => now.replaceAll(`@${name}`, `<@uid:${uid}>`), text)
}

/** As it is typed: the text of a message, and whom it mentions. */
export function typedFrom(data: Message['data']): { text: string; mentioned: Person[] } {
  return { text: plainText(data), mentioned: Object.values(data.mentions ?? {}) }
}
