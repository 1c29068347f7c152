import type { ListCategory } from '@chorale/contract/moderation'

/**
 * The cells of a CSV text, of whatever shape: each is a term. One with a comma or a line break
 * stands in quotes. In a pattern, a comma between brackets is part of it.
 */
export function termsIn(text: string, category: ListCategory): string[] {
  const cells = [...text.matchAll(category === 'pattern' ? patternCells : wordCells)]
  const terms = cells.map(([cell]) => unquoted(cell.trim()))
  return [...new Set(terms)].filter(Boolean)
}

const quoted = String.raw`[^\S\r\n]*"(?:[^"]|"")*"[^\S\r\n]*(?=[,\r\n]|$)`
const wordCells = new RegExp(String.raw`${quoted}|[^,\r\n]+`, 'g')
const bracketed = String.raw`\{[^{}\r\n]*\}|\[(?:\\.|[^\]\\\r\n])*\]|\\.`
const patternCells = new RegExp(String.raw`${quoted}|(?:${bracketed}|[^,\r\n])+`, 'g')

function unquoted(cell: string): string {
  return cell.startsWith('"') && cell.endsWith('"') && cell.length > 1
    ? cell.slice(1, -1).replaceAll('""', '"').trim()
    : cell
}
