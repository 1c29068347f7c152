import { failure } from '../exception.ts'
import { type Reaction, reactionOf } from '../messages/reaction.ts'
import { ask, refusing } from '../session/state.ts'

interface Filters {
  limit: number
  messageId?: string
  reaction?: string
}

const defaultReactions = 10

export class ReactionsRequest {
  readonly #filters: Readonly<Filters>
  /** The id to go on from, in each direction. */
  readonly #from: Partial<Record<'append' | 'prepend', string>> = {}
  readonly #atEnd = new Set<'append' | 'prepend'>()

  constructor(filters: Readonly<Filters>) {
    this.#filters = filters
  }

  fetchNext(): Promise<Reaction[]> {
    return this.#fetch('append')
  }

  fetchPrevious(): Promise<Reaction[]> {
    return this.#fetch('prepend')
  }

  async #fetch(affix: 'append' | 'prepend'): Promise<Reaction[]> {
    const { limit, messageId: id, reaction } = this.#filters
    if (id === undefined) throw failure('MISSING_PARAMETERS', 'setMessageId() was not called.')
    if (this.#atEnd.has(affix)) return []
    const from = this.#from[affix]
    const query = { limit, affix, ...(from !== undefined && { id: from }) }
    const { data } = await refusing(() =>
      reaction === undefined
        ? ask('listReactions', { params: { id }, query })
        : ask('listReactionsOfKind', { params: { id, reaction }, query }),
    )
    if (data.length < limit) this.#atEnd.add(affix)
    const last = affix === 'append' ? data.at(-1) : data[0]
    if (last) this.#from[affix] = last.id
    return data.map(reactionOf)
  }
}

export class ReactionsRequestBuilder {
  readonly #filters: Filters = { limit: defaultReactions }

  setMessageId(messageId: number | string): this {
    this.#filters.messageId = String(messageId)
    return this
  }

  setReaction(reaction: string): this {
    this.#filters.reaction = reaction
    return this
  }

  setLimit(limit: number): this {
    this.#filters.limit = limit
    return this
  }

  build(): ReactionsRequest {
    return new ReactionsRequest({ ...this.#filters })
  }
}
