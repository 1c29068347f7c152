import { type ReactNode, useEffect, useRef } from 'react'
import type { PagesResult } from '../app/use-pages.ts'
import { common } from '../strings/frame.ts'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

interface PagesProps<T> {
  readonly of: PagesResult<T>
  readonly children: (pages: readonly T[]) => ReactNode
}

/** What a list has read so far; the next page is read when its end comes near. */
export function Pages<T>({ of: list, children }: PagesProps<T>) {
  if (list.isPending) return <Waiting />
  if (!list.data) return <Problem error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      {children(list.data.pages)}
      {list.isFetchNextPageError && (
        <Problem error={list.error} onRetry={() => void list.fetchNextPage()} />
      )}
      <More of={list} />
    </>
  )
}

const nearPx = 300

/** A button, for whoever does not scroll. */
function More<T>({ of: list }: { readonly of: PagesResult<T> }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const end = useRef<HTMLDivElement>(null)
  const isWanted = hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (!end.current || !isWanted) return
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { rootMargin: `${nearPx}px` },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [isWanted, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div ref={end} className="actions">
      <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? common.loading : common.more}
      </button>
    </div>
  )
}
