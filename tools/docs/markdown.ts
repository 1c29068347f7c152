/** A block of code between two lines of backticks. */
export interface Fence {
  readonly language: string
  readonly code: string
  /** What the comment in the line above it says: `run`, `snippet: FILE`, `not run: REASON`. */
  readonly mark: string | undefined
  readonly line: number
}

const opening = /^( *)```(\S*)/
const comment = /^ *<!-- (.+) -->$/

export function fencesOf(text: string): Fence[] {
  const lines = text.split('\n')
  const found: Fence[] = []
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', language = ''] = opening.exec(lines[index] ?? '') ?? []
    if (!opening.test(lines[index] ?? '')) continue
    const end = lines.findIndex((line, at) => at > index && line.trim() === '```')
    if (end < 0) throw new Error(`line ${index + 1}: the block of code does not end`)
    const inside = lines.slice(index + 1, end)
    const code = inside.map((line) => line.slice(Math.min(indent.length, line.length))).join('\n')
    const mark = comment.exec(lines[index - 1] ?? '')?.[1]
    found.push({ language, code: `${code}\n`, mark, line: index + 1 })
    index = end
  }
  return found
}

/** Without blocks of code and comments. */
function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '')
}

/** What a reader reads, with `code` for each piece of inline code, and links as their words. */
function words(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<?https?:\/\/[^\s>)]+>?/g, 'address')
    .replaceAll(/<\/?\w+>|&\w+;/g, ' ')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
}

/** All of it: headings, paragraphs, lists and tables. */
export function proseOf(text: string): string {
  return words(withoutCode(text))
}

/** The sentences of paragraphs and lists. Tables and headings are not made of sentences. */
export function sentencesOf(text: string): string[] {
  const paragraphs = withoutCode(text)
    .split(/\n\s*\n|\n(?= *(?:[-*]|\d+\.) )/)
    .map((one) => one.trim())
    .filter((one) => one !== '' && !/^[|#]/.test(one))
    .map((one) => one.replace(/^(?:[-*]|\d+\.) +/, ''))
  return paragraphs.flatMap((paragraph) =>
    words(paragraph)
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.!?:])\s+(?=[A-Z"(]|code)/)
      .filter((sentence) => wordsIn(sentence).length > 0),
  )
}

export function wordsIn(text: string): string[] {
  return text.match(/[A-Za-z]+(?:['’][a-z]+)?/g) ?? []
}

/** The anchor of a heading, as Git hosts make it; the site makes the same. */
export function slug(heading: string): string {
  return words(heading.replaceAll('`', ''))
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

export function anchorsOf(text: string): string[] {
  const headings = withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)
  return [...headings].map(([, heading = '']) => slug(heading))
}
