import { useInfiniteQuery } from '@tanstack/react-query'
import { whileThere } from './activity.ts'

/** Rows that a list reads at once. */
export const rowsPerPage = 50

interface PagesOf<T, P> {
  readonly queryKey: readonly unknown[]
  /** The first page has no place. */
  readonly read: (place: P | undefined) => Promise<T>
  /** Where the page after the last of so many begins; undefined: there is none. */
  readonly next: (last: T, count: number) => P | undefined
  readonly everyMs?: number
}

/**
 * A list that is read a page at a time, as `Pages` shows it. It is read anew by itself while it has one
 * page only: reading all that somebody has scrolled through would take too long.
 */
export function usePages<T, P>({ queryKey, read, next, everyMs }: PagesOf<T, P>) {
  return useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    // Typed by what `next` and the first page say.
    queryFn: ({ pageParam }) => read(pageParam as P | undefined),
    initialPageParam: undefined as P | undefined,
    getNextPageParam: (last: T, all: readonly T[]) => next(last, all.length),
    refetchOnWindowFocus: ({ state }) => !isLong(state.data),
    refetchInterval: ({ state }) =>
      everyMs !== undefined && !isLong(state.data) && whileThere(everyMs)(),
  })
}

export type PagesResult<T> = ReturnType<typeof usePages<T, unknown>>

function isLong(data: unknown): boolean {
  return Object(Object(data).pages).length > 1
}

/** For lists whose pages have numbers: behind a full page there may be one more. */
export function nextNumber(
  { data }: { readonly data: readonly unknown[] },
  count: number,
): number | undefined {
  return data.length < rowsPerPage ? undefined : count + 1
}
