import type { Message, OperationInputs } from '@chorale/sdk'
import type { BaseMessage } from '../messages/base-message.ts'
import { messageOf } from '../messages/from-wire.ts'
import { notAvailable } from '../missing.ts'
import { ask } from '../session/state.ts'
import { defaultLimit } from './list-request.ts'

type Query = NonNullable<OperationInputs['listUserMessages']['query']>
type Affix = 'append' | 'prepend'

/** Whose messages: of a user, a group, a thread, or all. */
interface Place {
  uid?: string
  guid?: string
  parentMessageId?: string
}

/** Begins where the builder said; each direction goes on from its own last page. */
export class MessagesRequest {
  readonly #place: Readonly<Place>
  readonly #query: Query
  readonly #limit: number
  readonly #from: Partial<Record<Affix, string>> = {}
  #hasOldest = false

  constructor(place: Readonly<Place>, query: Query, limit: number) {
    this.#place = place
    this.#query = query
    this.#limit = limit
  }

  getLimit(): number {
    return this.#limit
  }

  /** Newer ones, oldest first; empty at the end. */
  fetchNext(): Promise<BaseMessage[]> {
    return this.#fetch('append')
  }

  /** Older ones, oldest first; empty at the end. */
  fetchPrevious(): Promise<BaseMessage[]> {
    return this.#fetch('prepend')
  }

  async #fetch(affix: Affix): Promise<BaseMessage[]> {
    if (affix === 'prepend' && this.#hasOldest) return []
    const from = this.#from[affix]
    const { sentAt, ...query } = this.#query
    const messages = await list(this.#place, {
      ...query,
      limit: this.#limit,
      affix,
      ...(from !== undefined && { id: from }),
      ...(from === undefined && sentAt !== undefined && { sentAt }),
    })
    const last = affix === 'append' ? messages.at(-1) : messages[0]
    // The list grows at its newer end only.
    if (affix === 'prepend') this.#hasOldest = messages.length < this.#limit
    if (last) this.#from[affix] = last.id
    return messages.map(messageOf)
  }
}

async function list({ uid, guid, parentMessageId: id }: Place, query: Query): Promise<Message[]> {
  const { data } = await answerOf()
  return data.filter((row) => 'id' in row)

  function answerOf() {
    if (id !== undefined) {
      const { unread: _, undelivered: __, count: ___, perPage: ____, ...ofThread } = query
      return ask('listReplies', { params: { id }, query: ofThread })
    }
    if (uid !== undefined) return ask('listUserMessages', { params: { uid }, query })
    if (guid !== undefined) return ask('listGroupMessages', { params: { guid }, query })
    const { perPage: _, ...ofAll } = query
    return ask('listMessages', { query: ofAll })
  }
}

export class MessagesRequestBuilder {
  readonly #place: Place = {}
  #query: Query = {}
  #limit = defaultLimit

  #with(more: Query): this {
    this.#query = { ...this.#query, ...more }
    return this
  }

  setLimit(limit: number): this {
    this.#limit = limit
    return this
  }

  setUID(uid: string): this {
    this.#place.uid = uid
    return this
  }

  setGUID(guid: string): this {
    this.#place.guid = guid
    return this
  }

  setParentMessageId(id: number | string): this {
    this.#place.parentMessageId = String(id)
    return this
  }

  setMessageId(id: number | string): this {
    return this.#with({ id: String(id) })
  }

  setTimestamp(sentAt: number): this {
    return this.#with({ sentAt })
  }

  setUnread(unread: boolean): this {
    return this.#with({ unread })
  }

  setUndelivered(undelivered: boolean): this {
    return this.#with({ undelivered })
  }

  hideMessagesFromBlockedUsers(isOn: boolean): this {
    return this.#with({ hideMessagesFromBlockedUsers: isOn })
  }

  setSearchKeyword(searchKey: string): this {
    return this.#with({ searchKey })
  }

  setCategory(category: string): this {
    return this.#with({ category })
  }

  setCategories(categories: readonly string[]): this {
    return this.#with({ categories })
  }

  setType(type: string): this {
    return this.#with({ type })
  }

  setTypes(types: readonly string[]): this {
    return this.#with({ types })
  }

  hideReplies(isOn: boolean): this {
    return this.#with({ hideReplies: isOn })
  }

  hideDeletedMessages(isOn: boolean): this {
    return this.#with({ hideDeleted: isOn })
  }

  setTags(tags: readonly string[]): this {
    return this.#with({ tags })
  }

  withTags(withTags: boolean): this {
    return this.#with({ withTags })
  }

  myMentionsOnly(isOn: boolean): this {
    return this.#with({ myMentionsOnly: isOn })
  }

  mentionsWithTagInfo(isOn: boolean): this {
    return this.#with({ mentionswithTagInfo: isOn })
  }

  mentionsWithBlockedInfo(isOn: boolean): this {
    return this.#with({ mentionsWithBlockedInfo: isOn })
  }

  hasLinks(isOn: boolean): this {
    return this.#with({ hasLinks: isOn })
  }

  hasAttachments(isOn: boolean): this {
    return this.#with({ hasAttachments: isOn })
  }

  hasReactions(isOn: boolean): this {
    return this.#with({ hasReactions: isOn })
  }

  hasMentions(isOn: boolean): this {
    return this.#with({ hasMentions: isOn })
  }

  setMentionedUIDs(uids: readonly string[]): this {
    return this.#with({ mentionedUids: uids.join(',') })
  }

  /** One type; several are not available. */
  setAttachmentTypes(types: readonly ('image' | 'video' | 'audio' | 'file')[]): this {
    const [attachmentTypes, ...others] = types
    if (others.length > 0) {
      throw notAvailable('MessagesRequestBuilder.setAttachmentTypes with several types')
    }
    return this.#with(attachmentTypes ? { attachmentTypes } : {})
  }

  setUpdatedAfter(_: number): this {
    throw notAvailable('MessagesRequestBuilder.setUpdatedAfter')
  }

  updatesOnly(_: boolean): this {
    throw notAvailable('MessagesRequestBuilder.updatesOnly')
  }

  setInteractionGoalCompletedOnly(_: boolean): this {
    throw notAvailable('MessagesRequestBuilder.setInteractionGoalCompletedOnly')
  }

  hideQuotedMessages(_: boolean): this {
    throw notAvailable('MessagesRequestBuilder.hideQuotedMessages')
  }

  build(): MessagesRequest {
    return new MessagesRequest({ ...this.#place }, this.#query, this.#limit)
  }
}
