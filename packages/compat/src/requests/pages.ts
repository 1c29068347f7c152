import { refusing } from '../session/state.ts'

interface Page<T> {
  readonly data: readonly T[]
  /** What to ask for next; undefined where this was the last page. */
  readonly next: string | undefined
}

export const defaultLimit = 30

/** A list that goes on where the last call stopped, and is empty at its end. */
export class Pages<T> {
  readonly #load: (cursor: string | undefined) => Promise<Page<T>>
  #cursor: string | undefined
  #isAtEnd = false

  constructor(load: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#load = load
  }

  async next(): Promise<T[]> {
    while (!this.#isAtEnd) {
      const { data, next } = await refusing(() => this.#load(this.#cursor))
      this.#cursor = next
      this.#isAtEnd = next === undefined
      // A page can be empty where rows are left out after they are read.
      if (data.length > 0) return [...data]
    }
    return []
  }
}

/** The cursor of a list of rows, as a part of its query. */
export function cursorIn(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor }
}
