import type { ListState } from './live.ts'

export interface Paging {
  readonly state: Omit<ListState<never>, 'items'>
  /** The next page, unless there is none. Callers of the same moment share it. */
  more(): Promise<void>
  /** Begins again with the first page. */
  restart(): Promise<void>
  /** Loads the first page, if nobody did, or the one that failed. */
  start(): void
  /** There is a connection again: loads what could not be loaded. */
  retry(): void
  /** As if nothing had been loaded. */
  reset(): void
}

export interface Page<T> {
  readonly items: readonly T[]
  /** What the next page begins after; undefined where this is the last. */
  readonly next: string | undefined
}

export interface PagingParts<T> {
  fetch(cursor: string | undefined): Promise<Page<T>>
  /** Puts a page where it belongs; the first replaces whatever is there. */
  take(items: readonly T[], isFirst: boolean): void
  onChange(): void
}

/** What is loaded of a list, and what comes next. */
export function openPaging<T>({ fetch, take, onChange }: PagingParts<T>): Paging {
  let status: ListState<never>['status'] = 'idle'
  let error: Error | undefined
  let next: string | undefined
  let hasMore = true
  let underWay: Promise<void> | undefined
  let run = 0

  function become(now: typeof status, why?: Error): void {
    status = now
    error = why
    onChange()
  }

  async function loadNext(): Promise<void> {
    const mine = ++run
    become('loading')
    try {
      const page = await fetch(next)
      if (mine !== run) return
      take(page.items, next === undefined)
      next = page.next
      hasMore = next !== undefined
      become('ready')
    } catch (failure) {
      if (mine !== run) return
      become('failed', failure as Error)
      throw failure
    } finally {
      if (mine === run) underWay = undefined
    }
  }

  function begin(): Promise<void> {
    underWay = loadNext()
    // Whoever does not wait for it sees the failure in the state.
    underWay.catch(() => undefined)
    return underWay
  }

  return {
    get state() {
      return { status, hasMore, ...(error && { error }) }
    },
    more: () => underWay ?? (hasMore ? begin() : Promise.resolve()),
    restart() {
      next = undefined
      hasMore = true
      return begin()
    },
    start() {
      if (status === 'idle' || status === 'failed') void begin()
    },
    retry() {
      if (status === 'failed') void begin()
    },
    reset() {
      run++
      next = undefined
      hasMore = true
      underWay = undefined
      become('idle')
    },
  }
}
