import { open } from 'node:fs/promises'
import { fileTypeFromFile } from 'file-type'

/** Longer than what stands before the first element of a page. */
const beginning = 65_536

/** By its content. Undefined: text, or something that has no mark. */
export async function realTypeOf(path: string): Promise<string | undefined> {
  const text = await beginningOf(path)
  // First: what browsers would take for a page is one, whatever else it is.
  const page = pageIn(text)
  if (page !== undefined) return page
  return (await fileTypeFromFile(path))?.mime
}

async function beginningOf(path: string): Promise<string> {
  const handle = await open(path)
  try {
    const buffer = Buffer.alloc(beginning)
    const { bytesRead } = await handle.read(buffer, 0, beginning, 0)
    return decode(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes[0] === 0x3c && bytes[1] === 0) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0 && bytes[1] === 0x3c) return new TextDecoder('utf-16be').decode(bytes)
  return bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '')
}

/** What browsers look for where no type is given. */
const tags =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--|meta|link|img|object|embed|frameset|base|form|input|video|audio|marquee|template)[\s>/-]/i
const elements = /<(?:[a-z][\w.-]*:)?(svg|html|script|iframe|object|embed|foreignobject)[\s>/]/i

function pageIn(text: string): string | undefined {
  const begun = text.replace(/^[\s\0]+/, '')
  if (!begun.startsWith('<')) return undefined
  const element = elements.exec(begun)?.[1]?.toLowerCase()
  if (element === 'svg') return 'image/svg+xml'
  return element !== undefined || tags.test(begun) ? 'text/html' : undefined
}
