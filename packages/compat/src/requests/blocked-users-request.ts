import { type User, userOf } from '../entities/user.ts'
import { ask, uidOfMe } from '../session/state.ts'
import {
  defaultLimit,
  ListRequest,
  type SearchFilters,
  SearchRequestBuilder,
  searchQuery,
} from './list-request.ts'

type Direction = 'blockedByMe' | 'hasBlockedMe' | 'both'

interface Filters extends SearchFilters {
  direction: Direction
}

export class BlockedUsersRequest extends ListRequest<User> {
  static readonly directions = {
    BLOCKED_BY_ME: 'blockedByMe',
    HAS_BLOCKED_ME: 'hasBlockedMe',
    BOTH: 'both',
  } as const

  constructor(filters: Readonly<Filters>) {
    super(filters.limit, async (cursor) => {
      const query = { direction: filters.direction, ...searchQuery(filters, cursor) }
      const { data, meta } = await ask('listBlockedUsers', { params: { uid: uidOfMe() }, query })
      return { data: data.map(userOf), next: meta.cursor.next }
    })
  }
}

export class BlockedUsersRequestBuilder extends SearchRequestBuilder<Filters> {
  constructor() {
    super({ limit: defaultLimit, direction: 'both' })
  }

  setDirection(direction: Direction): this {
    this.filters.direction = direction
    return this
  }

  blockedByMe(): this {
    return this.setDirection('blockedByMe')
  }

  hasBlockedMe(): this {
    return this.setDirection('hasBlockedMe')
  }

  build(): BlockedUsersRequest {
    return new BlockedUsersRequest({ ...this.filters })
  }
}
