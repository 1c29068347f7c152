import { useEffect, useRef } from 'react'
import type { LoadedList } from '../hooks/live.ts'
import { useStrings } from '../provider/context.ts'

/** At the end of a list: loads the next page when it comes into view. */
export function More({ list }: { readonly list: LoadedList<unknown> }) {
  const strings = useStrings()
  const { hasMore, status, loadMore } = list
  const mark = useRef<HTMLDivElement>(null)
  const isWanted = hasMore && status === 'ready'
  useEffect(() => {
    const { current } = mark
    if (!current || !isWanted) return
    const observer = new IntersectionObserver((entries) => {
      // Why it fails is a state of the list.
      if (entries.some((entry) => entry.isIntersecting)) loadMore().catch(() => undefined)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [isWanted, loadMore])
  if (status === 'failed') {
    return (
      <p className="chorale-list-end" role="alert">
        {strings.loadFailed}{' '}
        <button type="button" onClick={() => void loadMore().catch(() => undefined)}>
          {strings.tryAgain}
        </button>
      </p>
    )
  }
  return (
    <div ref={mark} className="chorale-list-end">
      {status === 'loading' && <span className="chorale-spinner" />}
    </div>
  )
}
