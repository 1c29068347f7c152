import { type Conversation, conversationOf } from '../entities/conversation.ts'
import { notAvailable } from '../missing.ts'
import { ask } from '../session/state.ts'
import { cursorIn, defaultLimit, ListRequest } from './list-request.ts'

interface Filters {
  limit: number
  query: {
    conversationType?: 'user' | 'group'
    tags?: readonly string[]
    withTags?: boolean
    withUserAndGroupTags?: boolean
    userTags?: readonly string[]
    groupTags?: readonly string[]
    includeBlockedUsers?: boolean
    withBlockedInfo?: boolean
    searchKey?: string
    unread?: boolean
  }
}

export class ConversationsRequest extends ListRequest<Conversation> {
  constructor({ limit, query }: Readonly<Filters>) {
    super(limit, async (cursor) => {
      const { data, meta } = await ask('listConversations', {
        query: { ...query, perPage: limit, ...cursorIn(cursor) },
      })
      return { data: data.map(conversationOf), next: meta.cursor.next }
    })
  }
}

export class ConversationsRequestBuilder {
  #limit = defaultLimit
  #query: Filters['query'] = {}

  #with(more: Filters['query']): this {
    this.#query = { ...this.#query, ...more }
    return this
  }

  setLimit(limit: number): this {
    this.#limit = limit
    return this
  }

  setConversationType(conversationType: 'user' | 'group'): this {
    return this.#with({ conversationType })
  }

  setTags(tags: readonly string[]): this {
    return this.#with({ tags })
  }

  withTags(withTags: boolean): this {
    return this.#with({ withTags })
  }

  withUserAndGroupTags(withUserAndGroupTags: boolean): this {
    return this.#with({ withUserAndGroupTags })
  }

  setUserTags(userTags: readonly string[]): this {
    return this.#with({ userTags })
  }

  setGroupTags(groupTags: readonly string[]): this {
    return this.#with({ groupTags })
  }

  setIncludeBlockedUsers(includeBlockedUsers: boolean): this {
    return this.#with({ includeBlockedUsers })
  }

  setWithBlockedInfo(withBlockedInfo: boolean): this {
    return this.#with({ withBlockedInfo })
  }

  setSearchKeyword(searchKey: string): this {
    return this.#with({ searchKey })
  }

  setUnread(unread: boolean): this {
    return this.#with({ unread })
  }

  setHideAgentic(_: boolean): this {
    throw notAvailable('ConversationsRequestBuilder.setHideAgentic')
  }

  setOnlyAgentic(_: boolean): this {
    throw notAvailable('ConversationsRequestBuilder.setOnlyAgentic')
  }

  build(): ConversationsRequest {
    return new ConversationsRequest({ limit: this.#limit, query: this.#query })
  }
}
