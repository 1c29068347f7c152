import {
  type Draw,
  type Drawn,
  type Marked,
  otherOf,
  someEntry,
  someone,
  type Talk,
} from './talk.ts'

export const delivered: Draw = (talk) =>
  markDelivered(
    talk,
    someEntry(talk, () => true),
  )

/** Everything there is now. */
export const deliveredAll: Draw = (talk) => markDelivered(talk, undefined)

function markDelivered(talk: Talk, to: Marked | undefined): Drawn {
  const { client, between } = talk
  return mark(talk, to, {
    verb: 'has got',
    call: (onBehalfOf, body) =>
      between.kind === 'group'
        ? client.markGroupConversationDelivered({ params: between, body, onBehalfOf })
        : client.markUserConversationDelivered({ ...towards(talk, onBehalfOf), body }),
    moved: (read) => read,
  })
}

export const read: Draw = (talk) =>
  markRead(
    talk,
    someEntry(talk, () => true),
  )

export const readAll: Draw = (talk) => markRead(talk, undefined)

/** Only ever forward. */
function markRead(talk: Talk, to: Marked | undefined): Drawn {
  const { client, between } = talk
  return mark(talk, to, {
    verb: 'has read',
    call: (onBehalfOf, body) =>
      between.kind === 'group'
        ? client.markGroupConversationRead({ params: between, body, onBehalfOf })
        : client.markUserConversationRead({ ...towards(talk, onBehalfOf), body }),
    moved: Math.max,
  })
}

/** To exactly there, forward or back; it always names a message. */
export const unread: Draw = (talk) => {
  const { client, between } = talk
  return mark(
    talk,
    someEntry(talk, () => true),
    {
      verb: 'marks unread behind',
      call: (onBehalfOf, { messageId = '1' }) =>
        between.kind === 'group'
          ? client.markGroupConversationUnread({ params: between, body: { messageId }, onBehalfOf })
          : client.markUserConversationUnread({
              ...towards(talk, onBehalfOf),
              body: { messageId },
            }),
      moved: (_, to) => to,
    },
  )
}

interface Mark {
  readonly verb: string
  call(uid: string, body: { messageId?: string }): Promise<unknown>
  /** Where the position is after, from where it was and where the mark is. */
  moved(read: number, to: number): number
}

function mark(talk: Talk, to: Marked | undefined, { verb, call, moved }: Mark): Drawn {
  const { model } = talk
  const uid = someone(talk)
  const place = model.places.get(uid)
  const hidden = to !== undefined && place !== undefined && to.seq <= place.reset
  const found = hidden ? 'ERR_MESSAGE_ID_NOT_FOUND' : 'ok'
  return {
    line: `${uid} ${verb} ${to ? to.id : 'everything'}`,
    holds: uid,
    expected: place ? found : 'ERR_CONVERSATION_NOT_ACCESSIBLE',
    async call() {
      await call(uid, to ? { messageId: to.id } : {})
      return undefined
    },
    apply: () => {
      const now = model.placeOf(uid)
      now.read = moved(now.read, to?.seq ?? model.entries.length)
    },
  }
}

export const reset: Draw = (talk) => {
  const { client, between, model } = talk
  const uid = someone(talk)
  return {
    line: `${uid} resets it`,
    expected: model.places.has(uid) ? 'ok' : 'ERR_CONVERSATION_NOT_ACCESSIBLE',
    async call() {
      if (between.kind === 'group') {
        await client.resetGroupConversation({ params: between, onBehalfOf: uid })
      } else await client.resetUserConversation({ ...towards(talk, uid), body: {} })
      return undefined
    },
    apply: () => model.reset(uid),
  }
}

/** Who asks must have it in their list. */
export const resetForAll: Draw = (talk) => {
  const { client, between, model, label } = talk
  const uid = between.kind === 'group' ? between.owner : someone(talk)
  return {
    line: `${uid} deletes it for all`,
    expected: model.isListedFor(uid) ? 'ok' : 'ERR_CONVERSATION_NOT_FOUND',
    async call() {
      await client.deleteConversation({ params: { conversationId: label }, onBehalfOf: uid })
      return undefined
    },
    apply: () => {
      for (const one of model.places.keys()) model.reset(one)
    },
  }
}

function towards(talk: Talk, uid: string) {
  return { params: { uid: otherOf(talk, uid) }, onBehalfOf: uid }
}
