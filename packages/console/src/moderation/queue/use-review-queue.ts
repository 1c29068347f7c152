import { useEffect, useState, useSyncExternalStore } from 'react'
import { isSomebodyThere } from '../../app/activity.ts'
import { useApp } from '../../app/session.tsx'
import { type Kind, ReviewQueue } from './review-queue.ts'

/** A claim lasts two minutes. */
const claimEveryMs = 20_000

/** The queue of the open app, claimed from while somebody is there. */
export function useReviewQueue(kind: Kind | undefined) {
  const { client } = useApp()
  const [queue, setQueue] = useState(() => new ReviewQueue(client, kind))
  useEffect(() => {
    const opened = new ReviewQueue(client, kind)
    setQueue(opened)
    void opened.claim()
    const timer = setInterval(() => {
      if (isSomebodyThere()) void opened.claim()
    }, claimEveryMs)
    const leave = () => void opened.close().catch(() => undefined)
    window.addEventListener('pagehide', leave)
    return () => {
      clearInterval(timer)
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [client, kind])
  return { queue, state: useSyncExternalStore(queue.subscribe, queue.getState) }
}
