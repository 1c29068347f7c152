// How often a PKCS #12 file asks for its password to be hashed. OpenSSL does that while the event loop
// waits, and takes any number: two thousand million are half an hour.

const integer = 0x02
const octetString = 0x04
const constructed = 0x20
/** Of elements inside of elements. */
const deepest = 32

interface Element {
  readonly tag: number
  readonly content: Buffer
}

/** The highest number that can be seen: in the clear, all but what the first password hides. */
export function highestIterations(file: Buffer): number {
  return highestIn(elementsOf(file) ?? [], 0)
}

function highestIn(elements: readonly Element[], depth: number): number {
  if (depth > deepest) return 0
  const inside = elements.map((element, place) => {
    // The count follows the salt, wherever there is one.
    const isCount = element.tag === integer && elements[place - 1]?.tag === octetString
    if (isCount) return numberOf(element.content)
    const isNested = (element.tag & constructed) !== 0 || element.tag === octetString
    return isNested ? highestIn(elementsOf(element.content) ?? [], depth + 1) : 0
  })
  return Math.max(0, ...inside)
}

function numberOf(content: Buffer): number {
  return content.length > 6 ? Number.POSITIVE_INFINITY : content.readUIntBE(0, content.length)
}

/** Undefined: these bytes are no row of elements. */
function elementsOf(bytes: Buffer): Element[] | undefined {
  const elements: Element[] = []
  for (let place = 0; place < bytes.length; ) {
    const tag = bytes[place]
    const size = sizeAt(bytes, place + 1)
    if (tag === undefined || !size || size.end > bytes.length) return undefined
    elements.push({ tag, content: bytes.subarray(size.start, size.end) })
    place = size.end
  }
  return elements
}

function sizeAt(bytes: Buffer, place: number) {
  const first = bytes[place]
  if (first === undefined) return undefined
  if (first < 0x80) return { start: place + 1, end: place + 1 + first }
  const count = first & 0x7f
  if (count === 0 || count > 4 || place + 1 + count > bytes.length) return undefined
  const start = place + 1 + count
  return { start, end: start + bytes.readUIntBE(place + 1, count) }
}
