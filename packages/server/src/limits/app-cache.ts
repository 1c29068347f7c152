/**
 * Values of all apps, of at most `max` in all. When there are more, the app that holds most loses those
 * that it set first: an app cannot push out what is kept for others. A value that is read keeps its
 * place: to move it would cost more than to look it up again once in a while.
 */
export interface AppCache<V> {
  get(appId: string, key: string): V | undefined
  set(appId: string, key: string, value: V): void
  delete(appId: string, key: string): void
}

/** So much at once, so that a full cache does not look for the largest app with every value. */
const evictedAtOnce = 1 / 16

interface Held<V> {
  readonly values: Map<string, V>
  size: number
}

/** Without `sizeOf`, values are counted. */
export function openAppCache<V>(max: number, sizeOf: (value: V) => number = () => 1): AppCache<V> {
  const apps = new Map<string, Held<V>>()
  let size = 0

  function remove(appId: string, held: Held<V>, key: string): void {
    const value = held.values.get(key)
    if (value === undefined) return
    held.values.delete(key)
    grow(held, -sizeOf(value))
    if (held.values.size === 0) apps.delete(appId)
  }

  function grow(held: Held<V>, by: number): void {
    held.size += by
    size += by
  }

  function evict(): void {
    let [appId, largest]: [string, Held<V>] = ['', { values: new Map(), size: 0 }]
    for (const [id, held] of apps) if (held.size > largest.size) [appId, largest] = [id, held]
    const enough = largest.size * (1 - evictedAtOnce)
    for (const key of largest.values.keys()) {
      remove(appId, largest, key)
      if (largest.size <= enough) return
    }
  }

  return {
    get(appId, key) {
      return apps.get(appId)?.values.get(key)
    },
    set(appId, key, value) {
      const known = apps.get(appId)
      if (known) remove(appId, known, key)
      const held = apps.get(appId) ?? { values: new Map<string, V>(), size: 0 }
      apps.set(appId, held)
      held.values.set(key, value)
      grow(held, sizeOf(value))
      while (size > max) evict()
    },
    delete(appId, key) {
      const held = apps.get(appId)
      if (held) remove(appId, held, key)
    },
  }
}

/** About what an object takes that came from the database: less as JSON, and up to two bytes a letter. */
export function bytesOf(value: object): number {
  return JSON.stringify(value).length * 3
}

/** A string takes a byte for each letter, or two if one of them is beyond Latin-1. */
export function textBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : text.length * 2
}
