/**
 * Values of all apps, at most `max` in all. When there are more, the app that holds most loses those
 * that it set first: an app cannot push out what is kept for others. A value that is read keeps its
 * place: to move it would cost more than to look it up again once in a while.
 */
export interface AppCache<V> {
  get(appId: string, key: string): V | undefined
  set(appId: string, key: string, value: V): void
  delete(appId: string, key: string): void
}

/** So many at once, so that a full cache does not look for the largest app with every value. */
const evictedAtOnce = 1 / 16

export function openAppCache<V>(max: number): AppCache<V> {
  const apps = new Map<string, Map<string, V>>()
  let size = 0

  function remove(appId: string, values: Map<string, V>, key: string): void {
    if (!values.delete(key)) return
    size--
    if (values.size === 0) apps.delete(appId)
  }

  function evict(): void {
    let [appId, largest] = ['', new Map<string, V>()]
    for (const [id, values] of apps) if (values.size > largest.size) [appId, largest] = [id, values]
    let left = Math.ceil(largest.size * evictedAtOnce)
    for (const key of largest.keys()) {
      if (left-- === 0) return
      remove(appId, largest, key)
    }
  }

  return {
    get(appId, key) {
      return apps.get(appId)?.get(key)
    },
    set(appId, key, value) {
      const values = apps.get(appId) ?? new Map<string, V>()
      apps.set(appId, values)
      if (!values.delete(key)) size++
      values.set(key, value)
      if (size > max) evict()
    },
    delete(appId, key) {
      const values = apps.get(appId)
      if (values) remove(appId, values, key)
    },
  }
}
