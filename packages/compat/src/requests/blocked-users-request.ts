import { type User, userOf } from '../entities/user.ts'
import { ask, uidOfMe } from '../session/state.ts'
import { cursorIn, defaultLimit, Pages } from './pages.ts'

type Direction = 'blockedByMe' | 'hasBlockedMe' | 'both'

interface Filters {
  limit: number
  direction: Direction
  searchKeyword?: string
}

export class BlockedUsersRequest {
  static readonly directions = {
    BLOCKED_BY_ME: 'blockedByMe',
    HAS_BLOCKED_ME: 'hasBlockedMe',
    BOTH: 'both',
  } as const

  readonly #pages: Pages<User>
  readonly #limit: number

  constructor({ limit, direction, searchKeyword }: Readonly<Filters>) {
    this.#limit = limit
    this.#pages = new Pages(async (cursor) => {
      const search = searchKeyword ? { searchKey: searchKeyword } : {}
      const query = { direction, perPage: limit, ...cursorIn(cursor), ...search }
      const { data, meta } = await ask('listBlockedUsers', { params: { uid: uidOfMe() }, query })
      return { data: data.map(userOf), next: meta.cursor.next }
    })
  }

  getLimit(): number {
    return this.#limit
  }

  /** The next page; empty at the end. */
  fetchNext(): Promise<User[]> {
    return this.#pages.next()
  }
}

export class BlockedUsersRequestBuilder {
  readonly #filters: Filters = { limit: defaultLimit, direction: 'both' }

  setLimit(limit: number): this {
    this.#filters.limit = limit
    return this
  }

  setSearchKeyword(keyword: string): this {
    this.#filters.searchKeyword = keyword
    return this
  }

  setDirection(direction: Direction): this {
    this.#filters.direction = direction
    return this
  }

  blockedByMe(): this {
    return this.setDirection('blockedByMe')
  }

  hasBlockedMe(): this {
    return this.setDirection('hasBlockedMe')
  }

  build(): BlockedUsersRequest {
    return new BlockedUsersRequest({ ...this.#filters })
  }
}
