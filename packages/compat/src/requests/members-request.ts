import { type GroupMember, memberOf } from '../entities/group-member.ts'
import { statusInQuery, type User, userOf } from '../entities/user.ts'
import { remember } from '../session/people.ts'
import { ask } from '../session/state.ts'
import { cursorIn, defaultLimit, Pages } from './pages.ts'

interface Filters {
  limit: number
  searchKeyword?: string
  scopes?: readonly ('admin' | 'moderator' | 'participant')[]
  status?: string
}

export class GroupMembersRequest {
  readonly #pages: Pages<GroupMember>
  readonly #limit: number

  constructor(guid: string, { limit, searchKeyword, scopes, status }: Readonly<Filters>) {
    this.#limit = limit
    this.#pages = new Pages(async (cursor) => {
      const { data, meta } = await ask('listMembers', {
        params: { guid },
        query: {
          perPage: limit,
          ...cursorIn(cursor),
          ...(searchKeyword && { searchKey: searchKeyword }),
          ...(scopes && { scopes }),
          ...(status && { status: statusInQuery(status) }),
        },
      })
      for (const member of data) remember(member)
      return { data: data.map(memberOf), next: meta.cursor.next }
    })
  }

  getLimit(): number {
    return this.#limit
  }

  /** The next page; empty at the end. */
  fetchNext(): Promise<GroupMember[]> {
    return this.#pages.next()
  }
}

export class GroupMembersRequestBuilder {
  readonly #guid: string
  readonly #filters: Filters = { limit: defaultLimit }

  constructor(guid: string) {
    this.#guid = guid
  }

  setLimit(limit: number): this {
    this.#filters.limit = limit
    return this
  }

  setSearchKeyword(keyword: string): this {
    this.#filters.searchKeyword = keyword
    return this
  }

  setScopes(scopes: readonly ('admin' | 'moderator' | 'participant')[]): this {
    this.#filters.scopes = scopes
    return this
  }

  setStatus(status: string): this {
    this.#filters.status = status
    return this
  }

  build(): GroupMembersRequest {
    return new GroupMembersRequest(this.#guid, { ...this.#filters })
  }
}

export class BannedMembersRequest {
  readonly #pages: Pages<User>
  readonly #limit: number

  constructor(guid: string, { limit, searchKeyword }: Readonly<Filters>) {
    this.#limit = limit
    this.#pages = new Pages(async (cursor) => {
      const search = searchKeyword ? { searchKey: searchKeyword } : {}
      const query = { perPage: limit, ...cursorIn(cursor), ...search }
      const { data, meta } = await ask('listBannedUsers', { params: { guid }, query })
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

export class BannedMembersRequestBuilder {
  readonly #guid: string
  readonly #filters: Filters = { limit: defaultLimit }

  constructor(guid: string) {
    this.#guid = guid
  }

  setLimit(limit: number): this {
    this.#filters.limit = limit
    return this
  }

  setSearchKeyword(keyword: string): this {
    this.#filters.searchKeyword = keyword
    return this
  }

  build(): BannedMembersRequest {
    return new BannedMembersRequest(this.#guid, { ...this.#filters })
  }
}
