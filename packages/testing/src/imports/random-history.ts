import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import type { Random } from '../seeded.ts'

export const uids = ['ann', 'bob', 'cid', 'dee'] as const
export const guids = ['team', 'club'] as const

interface Sent {
  readonly id: string
  readonly sender: string
  readonly receiver: string
  readonly receiverType: 'user' | 'group'
  readonly isReply: boolean
}

/** Two groups of all users. */
export async function openTalks(full: Client<Api>): Promise<void> {
  for (const uid of uids) await full.createUser({ body: { uid, name: uid.toUpperCase() } })
  for (const guid of guids) {
    const members = { participants: uids.slice(1) }
    await full.createGroup({ body: { guid, name: guid, type: 'public', owner: 'ann', members } })
  }
}

/** What people do in an app, one step at a time. */
export class Talkers {
  readonly #full: Client<Api>
  readonly #random: Random
  readonly #sent: Sent[] = []
  readonly #gone = new Set<string>()

  constructor(full: Client<Api>, random: Random) {
    this.#full = full
    this.#random = random
  }

  async step(): Promise<void> {
    const kind = this.#random.weighted({
      send: 60,
      reply: 10,
      edit: 6,
      delete: 4,
      react: 12,
      unreact: 3,
      read: 12,
      unread: 2,
    })
    const target = this.#pick()
    if (kind === 'send' || !target) return this.#send()
    if (kind === 'read' || kind === 'unread') return this.#mark(kind)
    if (kind === 'reply') return this.#reply(target)
    return this.#change(kind, target)
  }

  /** One that still stands. */
  #pick(): Sent | undefined {
    const standing = this.#sent.filter(({ id }) => !this.#gone.has(id))
    return standing.length > 0 ? this.#random.pick(standing) : undefined
  }

  async #send(): Promise<void> {
    const random = this.#random
    const sender = random.pick(uids)
    const toGroup = random.chance(0.5)
    const receiverType = toGroup ? ('group' as const) : ('user' as const)
    const receiver = toGroup
      ? random.pick(guids)
      : random.pick(uids.filter((uid) => uid !== sender))
    const number = this.#sent.length
    const quoted = this.#sent.findLast(
      (one) => one.receiver === receiver && toGroup && !this.#gone.has(one.id),
    )
    const { data } = await this.#full.sendMessage({
      onBehalfOf: sender,
      body: {
        receiver,
        receiverType,
        data: {
          text: random.chance(0.2) ? `${number} for <@uid:${random.pick(uids)}>` : `text ${number}`,
          ...(random.chance(0.2) && { metadata: { number, deep: { list: [1, 'two', null] } } }),
        },
        ...(random.chance(0.3) && { muid: `muid-${number}` }),
        ...(random.chance(0.2) && { tags: ['a', `t${number % 3}`] }),
        ...(quoted && random.chance(0.1) && { quotedMessageId: quoted.id }),
      },
    })
    this.#keep(data, { sender, receiver, receiverType, isReply: false })
  }

  #keep(data: object, said: Omit<Sent, 'id'>): void {
    if ('id' in data) this.#sent.push({ id: String(data.id), ...said })
  }

  /** Of the group, or of the two who talk. */
  #someone({ sender, receiver, receiverType }: Sent): string {
    return this.#random.pick(receiverType === 'group' ? uids : [sender, receiver])
  }

  async #reply(target: Sent): Promise<void> {
    if (target.isReply) return
    const onBehalfOf = this.#someone(target)
    const { data } = await this.#full.replyToMessage({
      params: { id: target.id },
      onBehalfOf,
      body: { category: 'message', type: 'text', data: { text: `reply to ${target.id}` } },
    })
    const receiver = target.receiverType === 'group' ? target.receiver : otherOf(target, onBehalfOf)
    this.#keep(data, {
      sender: onBehalfOf,
      receiver,
      receiverType: target.receiverType,
      isReply: true,
    })
  }

  async #change(kind: 'edit' | 'delete' | 'react' | 'unreact', target: Sent): Promise<void> {
    const params = { id: target.id }
    const reacting = { ...params, reaction: this.#random.pick(['👍', '❤️', 'so']) }
    const onBehalfOf = this.#someone(target)
    if (kind === 'edit') {
      const data = { text: `edited ${this.#random.below(1000)}` }
      await this.#full.editMessage({ params, onBehalfOf: target.sender, body: { data } })
    } else if (kind === 'delete') {
      this.#gone.add(target.id)
      await this.#full.deleteMessage({ params, onBehalfOf: target.sender, body: {} })
    } else if (kind === 'react') await this.#full.addReaction({ params: reacting, onBehalfOf })
    else await this.#full.removeReaction({ params: reacting, onBehalfOf })
  }

  async #mark(kind: 'read' | 'unread'): Promise<void> {
    const target = this.#pick()
    if (!target) return
    const onBehalfOf = this.#someone(target)
    const { id: messageId, receiverType } = target
    if (receiverType === 'group') {
      const call = { params: { guid: target.receiver }, onBehalfOf, body: { messageId } }
      if (kind === 'read') await this.#full.markGroupConversationRead(call)
      else await this.#full.markGroupConversationUnread(call)
    } else if (kind === 'read') {
      const params = { uid: otherOf(target, onBehalfOf) }
      await this.#full.markUserConversationRead({ params, onBehalfOf, body: { messageId } })
    }
  }
}

function otherOf({ sender, receiver }: Sent, uid: string): string {
  return uid === sender ? receiver : sender
}
