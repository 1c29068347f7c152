import type { ListState, Live, LiveList } from '@chorale/sdk'
import { useSyncExternalStore } from 'react'

/** The value as it is now; the component renders again when it changes. */
export function useLive<T>({ subscribe, getSnapshot }: Live<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}

/** A list as far as it is loaded, and the way to load more of it. */
export interface LoadedList<T> extends ListState<T> {
  readonly loadMore: () => Promise<void>
}

export function useLiveList<T>(list: LiveList<T>): LoadedList<T> {
  return { ...useLive(list), loadMore: list.loadMore }
}
