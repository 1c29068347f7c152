import { badRequest } from '../../../pipeline/failure.ts'

interface LimitQuery {
  readonly limit: number
  readonly page: number
}

/** A page of a list that is loaded whole, because it is never long. */
export function pageOf<Row, Shown>(
  rows: readonly Row[],
  { limit, page }: LimitQuery,
  show: (row: Row) => Shown,
) {
  const data = rows.slice((page - 1) * limit, page * limit).map(show)
  return { data, meta: { current: { limit, count: data.length } } }
}

/** Whoever gives no id gets the name as one. */
export function idFrom(name: string | undefined): string {
  const id = name
    ?.toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  if (!id) throw badRequest('id', 'This field is required.')
  return id
}
