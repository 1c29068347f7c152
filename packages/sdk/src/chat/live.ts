/**
 * A value that changes: `subscribe` and `getSnapshot` as `useSyncExternalStore` of React takes them.
 * Between two changes a snapshot is the same object.
 */
export interface Live<T> {
  /** Calls the listener after each change; returns the way to stop. */
  readonly subscribe: (listener: () => void) => () => void
  /** The value as it is now. */
  readonly getSnapshot: () => T
}

export interface LiveSource<T> extends Live<T> {
  /** The next snapshot is computed anew. Listeners are called once for all changes of a turn. */
  changed(): void
}

/** `onFirst` is called when somebody begins to listen. */
export function openLive<T>(compute: () => T, onFirst?: () => void): LiveSource<T> {
  const listeners = new Set<() => void>()
  let snapshot: { readonly value: T } | undefined
  let isDue = false

  function notify(): void {
    isDue = false
    for (const listener of [...listeners]) listener()
  }

  return {
    subscribe(listener) {
      const own = () => listener()
      listeners.add(own)
      if (listeners.size === 1) onFirst?.()
      return () => void listeners.delete(own)
    },
    getSnapshot() {
      snapshot ??= { value: compute() }
      return snapshot.value
    },
    changed() {
      snapshot = undefined
      if (isDue) return
      isDue = true
      void Promise.resolve().then(notify)
    },
  }
}

/** A live value that is set as a whole; setting the same one is no change. */
export function openValue<T>(first: T, onFirst?: () => void) {
  let value = first
  const live = openLive(() => value, onFirst)
  return {
    ...live,
    set(next: T): void {
      if (Object.is(next, value)) return
      value = next
      live.changed()
    },
  }
}

/** The snapshot of a list. */
export interface ListState<T> {
  /** What is loaded so far. */
  readonly items: readonly T[]
  /** `idle`: nobody has asked for it yet. */
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  /** Whether `loadMore` would find something. */
  readonly hasMore: boolean
  /** Why the last page could not be loaded. */
  readonly error?: Error
}

/** A list that is loaded page by page: the first one when somebody subscribes, or by `loadMore`. */
export interface LiveList<T> extends Live<ListState<T>> {
  /** Loads the next page. Does nothing where there is none. */
  loadMore(): Promise<void>
}
