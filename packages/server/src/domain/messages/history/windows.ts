import type { Edge } from '@chorale/contract/messages'

/** Where a page of a list begins, and which way it goes: towards newer rows, or towards older. */
export interface Place {
  readonly affix: 'append' | 'prepend'
  /** Of the row that it begins behind or before. */
  readonly id: number
  readonly limit: number
}

interface Query {
  readonly limit: number
  readonly affix?: Place['affix']
  readonly id?: string
}

/** Without an id: from the end of the list that this way leads away from. */
export function placeOf({ limit, affix, id }: Query, usual: Place['affix']): Place {
  const way = affix ?? usual
  const end = way === 'append' ? 0 : Number.MAX_SAFE_INTEGER
  return { affix: way, id: id === undefined ? end : Number(id), limit }
}

/** `last` is the row farthest from the place. A short page has no successor. */
export function windowMeta(
  { affix, limit }: Place,
  count: number,
  last: { readonly id: number; readonly sentAt?: number } | undefined,
) {
  const next: Edge | undefined =
    last && count === limit ? { ...last, affix, id: String(last.id) } : undefined
  return { current: { limit, count }, ...(next && { next }) }
}
