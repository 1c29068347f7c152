import type { ListCategory } from '@chorale/contract/rules'

/**
 * The cells of a CSV text, of whatever shape: each is a term. One with a comma or a line break
 * stands in quotes. In a pattern, a comma between brackets or behind a backslash is part of it.
 */
export function termsIn(text: string, category: ListCategory): string[] {
  const terms = new Set<string>()
  for (const cell of cellsOf(text, category === 'pattern' ? patternEnds(text) : wordEnds(text))) {
    const term = unquoted(cell.trim())
    if (term !== '') terms.add(term)
  }
  return [...terms]
}

/** Where the cell ends that begins at this place and is not in quotes. */
type EndOf = (start: number) => number

// By hand: a regular expression would look for the end of a bracket again at each `[`.
function* cellsOf(text: string, endOf: EndOf): Generator<string> {
  for (let start = 0; start < text.length; ) {
    if (isSeparator(text, start)) {
      start++
      continue
    }
    const end = quotedEnd(text, start) ?? endOf(start)
    yield text.slice(start, end)
    start = end
  }
}

/** Behind the quotes and the blanks around them. Undefined: the cell is not in quotes. */
function quotedEnd(text: string, start: number): number | undefined {
  const open = skipBlanks(text, start)
  if (text[open] !== '"') return undefined
  let close = text.indexOf('"', open + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close === -1) return undefined
  const end = skipBlanks(text, close + 1)
  return end === text.length || isSeparator(text, end) ? end : undefined
}

const blanks = /[^\S\r\n]*/y

function skipBlanks(text: string, from: number): number {
  blanks.lastIndex = from
  return blanks.test(text) ? blanks.lastIndex : from
}

const [comma, lineFeed, carriageReturn] = [44, 10, 13]

function isSeparator(text: string, place: number): boolean {
  const unit = text.charCodeAt(place)
  return unit === comma || unit === lineFeed || unit === carriageReturn
}

function wordEnds(text: string): EndOf {
  return (start) => {
    let end = start
    while (end < text.length && !isSeparator(text, end)) end++
    return end
  }
}

function patternEnds(text: string): EndOf {
  const behindBracket = bracketEnds(text)
  return (start) => {
    let end = start
    while (end < text.length && !isSeparator(text, end)) {
      end = behindBraces(text, end) ?? behindBracket(end) ?? behindEscape(text, end) ?? end + 1
    }
    return end
  }
}

/** `{2,3}`: what stands in braces holds no other brace. */
function behindBraces(text: string, open: number): number | undefined {
  if (text[open] !== '{') return undefined
  let place = open + 1
  while (place < text.length && !'{}\r\n'.includes(text.charAt(place))) place++
  return text[place] === '}' ? place + 1 : undefined
}

const lineEnds = '\r\n\u2028\u2029'

/** `\,`: a backslash takes one letter with it, but no end of a line. */
function behindEscape(text: string, place: number): number | undefined {
  const next = text[place + 1]
  return text[place] === '\\' && next !== undefined && !lineEnds.includes(next)
    ? place + 2
    : undefined
}

/** `[a,b]`. Remembers up to where nothing closes a bracket, so that each letter is read twice at most. */
function bracketEnds(text: string): (open: number) => number | undefined {
  let unclosedUpTo = 0
  return (open) => {
    if (text[open] !== '[' || open < unclosedUpTo) return undefined
    let place = open + 1
    while (place < text.length && !']\r\n'.includes(text.charAt(place))) {
      const next = text[place] === '\\' ? behindEscape(text, place) : place + 1
      if (next === undefined) break
      place = next
    }
    if (text[place] === ']') return place + 1
    unclosedUpTo = place
    return undefined
  }
}

function unquoted(cell: string): string {
  return cell.startsWith('"') && cell.endsWith('"') && cell.length > 1
    ? cell.slice(1, -1).replaceAll('""', '"').trim()
    : cell
}
