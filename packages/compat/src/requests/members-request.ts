import { type GroupMember, memberOf } from '../entities/group-member.ts'
import { statusInQuery, type User, userOf } from '../entities/user.ts'
import { remember } from '../session/people.ts'
import { ask } from '../session/state.ts'
import {
  defaultLimit,
  ListRequest,
  type SearchFilters,
  SearchRequestBuilder,
  searchQuery,
} from './list-request.ts'

interface Filters extends SearchFilters {
  scopes?: readonly ('admin' | 'moderator' | 'participant')[]
  status?: string
}

export class GroupMembersRequest extends ListRequest<GroupMember> {
  constructor(guid: string, filters: Readonly<Filters>) {
    const { scopes, status } = filters
    super(filters.limit, async (cursor) => {
      const { data, meta } = await ask('listMembers', {
        params: { guid },
        query: {
          ...searchQuery(filters, cursor),
          ...(scopes && { scopes }),
          ...(status && { status: statusInQuery(status) }),
        },
      })
      for (const member of data) remember(member)
      return { data: data.map(memberOf), next: meta.cursor.next }
    })
  }
}

export class GroupMembersRequestBuilder extends SearchRequestBuilder<Filters> {
  readonly #guid: string

  constructor(guid: string) {
    super({ limit: defaultLimit })
    this.#guid = guid
  }

  setScopes(scopes: readonly ('admin' | 'moderator' | 'participant')[]): this {
    this.filters.scopes = scopes
    return this
  }

  setStatus(status: string): this {
    this.filters.status = status
    return this
  }

  build(): GroupMembersRequest {
    return new GroupMembersRequest(this.#guid, { ...this.filters })
  }
}

export class BannedMembersRequest extends ListRequest<User> {
  constructor(guid: string, filters: Readonly<SearchFilters>) {
    super(filters.limit, async (cursor) => {
      const query = searchQuery(filters, cursor)
      const { data, meta } = await ask('listBannedUsers', { params: { guid }, query })
      return { data: data.map(userOf), next: meta.cursor.next }
    })
  }
}

export class BannedMembersRequestBuilder extends SearchRequestBuilder<SearchFilters> {
  readonly #guid: string

  constructor(guid: string) {
    super({ limit: defaultLimit })
    this.#guid = guid
  }

  build(): BannedMembersRequest {
    return new BannedMembersRequest(this.#guid, { ...this.filters })
  }
}
