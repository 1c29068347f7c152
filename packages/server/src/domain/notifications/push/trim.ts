/** How many bytes a text takes where it is written. */
export type Cost = (text: string) => number

/** In a JSON text, escapes included. */
export function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

const dots = '…'
const characters = new Intl.Segmenter()

/** As much of a text as fits, in whole characters as a reader counts them. */
export function trimmed(text: string, most: number, cost: Cost = bytesInJson): string {
  if (text.length <= most && cost(text) <= most) return text
  let room = most - cost(dots)
  if (room < 0) return ''
  let end = 0
  // No character takes less than a byte, so the rest of a long text need not be looked at.
  for (const { segment, index } of characters.segment(text.slice(0, most))) {
    room -= cost(segment)
    if (room < 0) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}${dots}`
}
