import type { CursorMeta, PageMeta } from '@chorale/contract/envelope'

/** Page numbers reach this far; behind it the cursor goes on. */
export const deepestOffset = 100_000

/** A total is counted up to here; beyond, 0 says that it was not. */
export const countedUpTo = 10_000

export type Key = readonly (string | number)[]

/** An opaque place in a list: the key of its last row. */
export function encodeKey(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Undefined when it was not made by `encodeKey` for a key of this shape. */
export function decodeKey(text: string, shape: readonly ('string' | 'number')[]): Key | undefined {
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(key) || key.length !== shape.length) return undefined
    return key.every((part, place) => typeof part === shape[place] && isPlain(part))
      ? key
      : undefined
  } catch {
    // Not JSON: the text came from somewhere else.
    return undefined
  }
}

function isPlain(part: unknown): boolean {
  return typeof part === 'string'
    ? part.isWellFormed() && !part.includes('\0')
    : Number.isSafeInteger(part)
}

export interface PageRequest {
  readonly page: number
  readonly perPage: number
}

/**
 * Where the total was not counted it is what is known: the rows up to here, and one more behind a full
 * page. So whoever goes on while there are more pages reads all of them.
 */
export function paginationOf(request: PageRequest, count: number, counted: number): PageMeta {
  const { page, perPage } = request
  const upToHere = count === 0 ? 0 : (page - 1) * perPage + count
  const known = count === perPage && counted === 0 ? upToHere + 1 : upToHere
  const total = Math.max(counted, known)
  return {
    total,
    count,
    per_page: perPage,
    current_page: page,
    total_pages: Math.ceil(total / perPage),
  }
}

/** A full page may have a successor; a short one is the last. */
export function cursorOf(
  request: PageRequest,
  rows: readonly unknown[],
  last: { readonly key: Key; readonly updatedAt: number | undefined } | undefined,
): CursorMeta {
  return {
    ...(last?.updatedAt !== undefined && { updatedAt: last.updatedAt }),
    affix: 'prepend',
    ...(last && rows.length === request.perPage && { next: encodeKey(last.key) }),
  }
}
