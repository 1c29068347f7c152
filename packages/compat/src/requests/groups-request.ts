import { type Group, groupOf } from '../entities/group.ts'
import { ask } from '../session/state.ts'
import { cursorIn, defaultLimit, Pages } from './pages.ts'

interface Filters {
  limit: number
  searchKeyword?: string
  joinedOnly?: boolean
  tags?: readonly string[]
  withTags?: boolean
}

export class GroupsRequest {
  readonly #pages: Pages<Group>
  readonly #limit: number

  constructor(filters: Readonly<Filters>) {
    const { limit, searchKeyword, joinedOnly, tags, withTags } = filters
    this.#limit = limit
    this.#pages = new Pages(async (cursor) => {
      const { data, meta } = await ask('listGroups', {
        query: {
          perPage: limit,
          ...cursorIn(cursor),
          ...(searchKeyword && { searchKey: searchKeyword }),
          ...(joinedOnly && { hasJoined: true }),
          ...(tags && { tags }),
          ...(withTags && { withTags }),
        },
      })
      return { data: data.map(groupOf), next: meta.cursor.next }
    })
  }

  getLimit(): number {
    return this.#limit
  }

  /** The next page; empty at the end. */
  fetchNext(): Promise<Group[]> {
    return this.#pages.next()
  }
}

export class GroupsRequestBuilder {
  readonly #filters: Filters = { limit: defaultLimit }

  setLimit(limit: number): this {
    this.#filters.limit = limit
    return this
  }

  setSearchKeyword(keyword: string): this {
    this.#filters.searchKeyword = keyword
    return this
  }

  joinedOnly(isOn: boolean): this {
    this.#filters.joinedOnly = isOn
    return this
  }

  setTags(tags: readonly string[]): this {
    this.#filters.tags = tags
    return this
  }

  withTags(isOn: boolean): this {
    this.#filters.withTags = isOn
    return this
  }

  build(): GroupsRequest {
    return new GroupsRequest({ ...this.#filters })
  }
}
