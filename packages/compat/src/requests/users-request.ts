import type { User as WireUser } from '@chorale/sdk'
import { statusInQuery, type User, userOf } from '../entities/user.ts'
import { notAvailable } from '../missing.ts'
import { remember } from '../session/people.ts'
import { ask, uidOfMe } from '../session/state.ts'
import {
  defaultLimit,
  ListRequest,
  type SearchFilters,
  SearchRequestBuilder,
  searchQuery,
} from './list-request.ts'

interface Filters extends SearchFilters {
  searchIn?: readonly ('uid' | 'name')[]
  status?: string
  hidesBlocked?: boolean
  roles?: readonly string[]
  friendsOnly?: boolean
  tags?: readonly string[]
  withTags?: boolean
  uids?: readonly string[]
}

export class UsersRequest extends ListRequest<User> {
  constructor(filters: Readonly<Filters>) {
    super(filters.limit, async (cursor) => {
      const { data, meta } = await (filters.friendsOnly
        ? friends(filters, cursor)
        : users(filters, cursor))
      for (const user of data) remember(user)
      const shown = data.filter((user) => isShown(user, filters))
      return { data: shown.map(userOf), next: meta.cursor.next }
    })
  }
}

function users(filters: Readonly<Filters>, cursor: string | undefined) {
  const { searchIn, status, roles, tags, withTags, uids } = filters
  return ask('listUsers', {
    query: {
      ...searchQuery(filters, cursor),
      ...(searchIn && { searchIn }),
      ...(status && { status: statusInQuery(status) }),
      ...(roles && { roles }),
      ...(tags && { tags }),
      ...(withTags && { withTags }),
      ...(uids && { uids }),
    },
  })
}

function friends(filters: Readonly<Filters>, cursor: string | undefined) {
  const query = searchQuery(filters, cursor)
  return ask('listFriends', { params: { uid: uidOfMe() }, query })
}

/** What the list itself does not leave out; of friends it knows no filter. */
function isShown(user: WireUser, filters: Readonly<Filters>): boolean {
  const { hidesBlocked, friendsOnly, status, roles } = filters
  if (hidesBlocked && (user.blockedByMe || user.hasBlockedMe)) return false
  if (!friendsOnly) return true
  if (status && user.status !== statusInQuery(status)) return false
  return !roles || roles.includes(user.role)
}

export class UsersRequestBuilder extends SearchRequestBuilder<Filters> {
  constructor() {
    super({ limit: defaultLimit })
  }

  searchIn(fields: readonly ('uid' | 'name')[]): this {
    this.filters.searchIn = fields
    return this
  }

  setStatus(status: string): this {
    this.filters.status = status
    return this
  }

  hideBlockedUsers(isOn: boolean): this {
    this.filters.hidesBlocked = isOn
    return this
  }

  setRole(role: string): this {
    this.filters.roles = [role]
    return this
  }

  setRoles(roles: readonly string[]): this {
    this.filters.roles = roles
    return this
  }

  friendsOnly(isOn: boolean): this {
    this.filters.friendsOnly = isOn
    return this
  }

  setTags(tags: readonly string[]): this {
    this.filters.tags = tags
    return this
  }

  withTags(isOn: boolean): this {
    this.filters.withTags = isOn
    return this
  }

  setUIDs(uids: readonly string[]): this {
    this.filters.uids = uids
    return this
  }

  sortBy(_: string): this {
    throw notAvailable('UsersRequestBuilder.sortBy')
  }

  sortByOrder(_: string): this {
    throw notAvailable('UsersRequestBuilder.sortByOrder')
  }

  build(): UsersRequest {
    return new UsersRequest({ ...this.filters })
  }
}
