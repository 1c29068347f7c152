import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { ChoraleError } from '@chorale/sdk'
import type { Random } from '../seeded.ts'
import { guidOf, type Known, type OldSide, uidOf } from './old-side.ts'

const weights = {
  send: 58,
  edit: 8,
  remove: 2,
  react: 10,
  unreact: 2,
  read: 12,
  join: 4,
  leave: 4,
} as const
type Kind = keyof typeof weights

/** People who go on writing: so many calls a second, whether the last was answered or not. */
export class Writers {
  readonly counts = new Map<Kind, number>()
  /** What was answered with something else than success. */
  readonly refused: string[] = []
  /** Ids of messages, and when each was answered. */
  readonly sentAt = new Map<string, number>()
  readonly changed: Known[] = []
  /** Edited, deleted, or reacted to: a phone hears of that, too. */
  readonly touched = new Set<string>()
  readonly #full: Client<Api>
  readonly #side: OldSide
  readonly #random: Random
  readonly #sent: Known[] = []
  readonly #gone = new Set<string>()
  readonly #reacted: { readonly id: string; readonly uid: string }[] = []
  readonly #guests: { readonly guid: string; readonly uid: string }[] = []
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(full: Client<Api>, side: OldSide, random: Random) {
    this.#full = full
    this.#side = side
    this.#random = random
  }

  get sent(): readonly Known[] {
    return this.#sent
  }

  start(perSecond: number): void {
    this.#timer = setInterval(() => void this.write(), 1000 / perSecond)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }

  write(kind: Kind = this.#random.weighted(weights)): Promise<void> {
    const writing = this.#call(kind).then(
      () => void this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1),
      (error: unknown) => {
        const why = error instanceof ChoraleError ? error.code : String(error)
        this.refused.push(`${kind}: ${why}`)
      },
    )
    this.#underWay.add(writing)
    return writing.finally(() => this.#underWay.delete(writing))
  }

  #call(kind: Kind): Promise<unknown> {
    if (kind === 'send') return this.#send()
    if (kind === 'join') return this.#join()
    if (kind === 'leave') return this.#leave()
    const target = this.#target()
    if (kind === 'read') return this.#read(target)
    return this.#change(kind, target)
  }

  /** Half of the time something old. */
  #target(): Known {
    const list = this.#sent.length > 0 && this.#random.chance(0.5) ? this.#sent : this.#side.said
    for (;;) {
      const one = this.#random.pick(list)
      if (!this.#gone.has(one.id)) return one
    }
  }

  async #send(): Promise<void> {
    const random = this.#random
    const { size, membersOf } = this.#side
    const isGroup = random.chance(0.6)
    const group = random.below(size.groups)
    const pair = random.below(Math.floor(size.users / 2))
    const sender = isGroup ? random.pick(membersOf(group)) : uidOf(pair * 2)
    const receiver = isGroup ? guidOf(group) : uidOf(pair * 2 + 1)
    const receiverType = isGroup ? ('group' as const) : ('user' as const)
    const text = `live ${this.#sent.length}`
    const body = { receiver, receiverType, data: { text } }
    const { data } = await this.#full.sendMessage({ onBehalfOf: sender, body })
    if (!('id' in data)) return
    const id = String(data.id)
    this.sentAt.set(id, Date.now())
    this.#sent.push({ id, sender, receiver, receiverType })
  }

  async #change(kind: 'edit' | 'remove' | 'react' | 'unreact', target: Known): Promise<void> {
    const params = { id: target.id }
    this.touched.add(target.id)
    if (kind === 'edit') {
      const data = { text: `edited ${this.#random.below(1_000_000)}` }
      await this.#full.editMessage({ params, onBehalfOf: target.sender, body: { data } })
      this.changed.push(target)
    } else if (kind === 'remove') {
      this.#gone.add(target.id)
      await this.#full.deleteMessage({ params, onBehalfOf: target.sender, body: {} })
    } else if (kind === 'react') {
      const uid = target.sender
      const reaction = this.#random.pick(['👍', '🎉'])
      await this.#full.addReaction({ params: { ...params, reaction }, onBehalfOf: uid })
      if (reaction === '👍') this.#reacted.push({ id: target.id, uid })
    } else {
      const at = this.#reacted.pop()
      if (!at || this.#gone.has(at.id)) return
      const inPath = { id: at.id, reaction: '👍' }
      await this.#full.removeReaction({ params: inPath, onBehalfOf: at.uid })
    }
  }

  async #read({ id: messageId, sender, receiver, receiverType }: Known): Promise<void> {
    const body = { messageId }
    if (receiverType === 'user') {
      const params = { uid: sender }
      await this.#full.markUserConversationRead({ params, onBehalfOf: receiver, body })
    } else {
      const onBehalfOf = this.#random.pick(this.#side.membersOf(Number(receiver.slice(1))))
      await this.#full.markGroupConversationRead({ params: { guid: receiver }, onBehalfOf, body })
    }
  }

  async #join(): Promise<void> {
    const { size, membersOf } = this.#side
    const group = this.#random.below(size.groups)
    const uid = uidOf(this.#random.below(size.users))
    const guid = guidOf(group)
    const isThere = this.#guests.some((one) => one.guid === guid && one.uid === uid)
    if (isThere || membersOf(group).includes(uid)) return
    await this.#full.addMembers({ params: { guid }, onBehalfOf: uid, body: {} })
    this.#guests.push({ guid, uid })
  }

  async #leave(): Promise<void> {
    const at = this.#random.below(Math.max(1, this.#guests.length))
    const [one] = this.#guests.splice(at, 1)
    if (!one) return
    await this.#full.leaveGroup({ params: { guid: one.guid }, onBehalfOf: one.uid })
  }
}
