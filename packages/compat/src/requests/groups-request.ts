import { type Group, groupOf } from '../entities/group.ts'
import { ask } from '../session/state.ts'
import {
  defaultLimit,
  ListRequest,
  type SearchFilters,
  SearchRequestBuilder,
  searchQuery,
} from './list-request.ts'

interface Filters extends SearchFilters {
  joinedOnly?: boolean
  tags?: readonly string[]
  withTags?: boolean
}

export class GroupsRequest extends ListRequest<Group> {
  constructor(filters: Readonly<Filters>) {
    const { joinedOnly, tags, withTags } = filters
    super(filters.limit, async (cursor) => {
      const { data, meta } = await ask('listGroups', {
        query: {
          ...searchQuery(filters, cursor),
          ...(joinedOnly && { hasJoined: true }),
          ...(tags && { tags }),
          ...(withTags && { withTags }),
        },
      })
      return { data: data.map(groupOf), next: meta.cursor.next }
    })
  }
}

export class GroupsRequestBuilder extends SearchRequestBuilder<Filters> {
  constructor() {
    super({ limit: defaultLimit })
  }

  joinedOnly(isOn: boolean): this {
    this.filters.joinedOnly = isOn
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

  build(): GroupsRequest {
    return new GroupsRequest({ ...this.filters })
  }
}
