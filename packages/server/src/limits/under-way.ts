/**
 * What is under way, where much comes and goes. A `Set` would do, but V8 links each table that a set has
 * outgrown to the next one: the first that is moved to the old space keeps alive all that comes later,
 * until that space is collected. So whatever calls have made was copied twice, in pauses of 10 ms.
 */
export interface UnderWay<T> {
  /** Returns its place. */
  add(one: T): number
  remove(place: number): void
  at(place: number): T | undefined
  /** It may remove places meanwhile. */
  each(look: (one: T, place: number) => void): void
  all(): T[]
  readonly size: number
}

export function openUnderWay<T extends object>(): UnderWay<T> {
  const places: (T | undefined)[] = []
  const free: number[] = []
  return {
    add(one) {
      const place = free.pop() ?? places.length
      places[place] = one
      return place
    },
    remove(place) {
      if (places[place] === undefined) return
      places[place] = undefined
      free.push(place)
    },
    at: (place) => places[place],
    each(look) {
      for (const [place, one] of places.entries()) if (one) look(one, place)
    },
    all: () => places.filter((one) => one !== undefined),
    get size() {
      return places.length - free.length
    },
  }
}
