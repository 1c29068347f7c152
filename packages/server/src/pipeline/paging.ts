import { decodeKey, deepestOffset, type Key, type PageRequest } from '../database/keyset.ts'
import { badRequest } from './failure.ts'

/** Where a list goes on: behind the cursor, or undefined for a page by number. */
export function afterOf(
  query: PageRequest & { readonly cursor?: string },
  shape: readonly ('string' | 'number')[],
): Key | undefined {
  if (query.cursor !== undefined) {
    const key = decodeKey(query.cursor, shape)
    if (!key) throw badRequest('cursor', 'Pass back meta.cursor.next as it came.')
    return key
  }
  if (query.page * query.perPage > deepestOffset) {
    throw badRequest('page', `Pages reach ${deepestOffset} rows; go on with meta.cursor.next.`)
  }
  return undefined
}
