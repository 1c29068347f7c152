import { refusing } from '../session/state.ts'

interface Page<T> {
  readonly data: readonly T[]
  /** What to ask for next; undefined where this was the last page. */
  readonly next: string | undefined
}

export const defaultLimit = 30

/** A list that goes on where the last call stopped, and is empty at its end. */
export class ListRequest<T> {
  readonly #limit: number
  readonly #load: (cursor: string | undefined) => Promise<Page<T>>
  #cursor: string | undefined
  #isAtEnd = false

  constructor(limit: number, load: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#limit = limit
    this.#load = load
  }

  getLimit(): number {
    return this.#limit
  }

  /** The next page; empty at the end. */
  async fetchNext(): Promise<T[]> {
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

export interface SearchFilters {
  limit: number
  searchKeyword?: string
}

/** Of a list that can be searched. */
export class SearchRequestBuilder<F extends SearchFilters> {
  protected readonly filters: F

  constructor(filters: F) {
    this.filters = filters
  }

  setLimit(limit: number): this {
    this.filters.limit = limit
    return this
  }

  setSearchKeyword(keyword: string): this {
    this.filters.searchKeyword = keyword
    return this
  }
}

/** The first rows, or those after the cursor, that the keyword finds: a part of the query. */
export function searchQuery({ limit, searchKeyword }: SearchFilters, cursor: string | undefined) {
  return {
    perPage: limit,
    ...cursorIn(cursor),
    ...(searchKeyword && { searchKey: searchKeyword }),
  }
}

/** The cursor of a list of rows, as a part of its query. */
export function cursorIn(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor }
}
