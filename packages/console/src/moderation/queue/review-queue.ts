import { ChoraleError, type OperationOutputs, type ServerClient } from '@chorale/sdk'

export type Claimed = OperationOutputs['claimMessages']['data'][number]
export type Kind = Claimed['kind']
export const decisions = ['approve', 'block', 'kick', 'ban', 'deactivate'] as const
export type Decision = (typeof decisions)[number]

interface Decided {
  readonly claimed: Claimed
  readonly decision: Decision
}

export interface QueueState {
  /** Held by this moderator, and not decided. */
  readonly held: readonly Claimed[]
  /** The last decision that can be taken back. */
  readonly last: { readonly decision: Decision; readonly count: number } | undefined
  readonly counts: { readonly open: number; readonly heldByOthers: number } | undefined
  /** What is held may grow in a moment. */
  readonly isClaiming: boolean
  readonly error: unknown
  /** Decisions that were refused. */
  readonly refusals: readonly { readonly id: string; readonly error: unknown }[]
}

const undoMs = 5000
const batch = 20
const fewLeft = 5

/** Whether a decision is possible for a message: one can be banned from groups only. */
export function isPossible(decision: Decision, { message }: Claimed): boolean {
  return (decision !== 'ban' && decision !== 'kick') || message.receiverType === 'group'
}

/** The messages that a moderator holds, and their decisions, which are sent when they stand. */
export class ReviewQueue {
  readonly #client: ServerClient
  readonly #kind: Kind | undefined
  readonly #listeners = new Set<() => void>()
  /** Decided here: not shown, even while the service still has them. */
  readonly #gone = new Set<string>()
  #claiming: Promise<void> | undefined
  #isWantedAgain = false
  #waiting: { readonly all: readonly Decided[]; readonly timer: number } | undefined
  #state: QueueState = {
    held: [],
    last: undefined,
    counts: undefined,
    isClaiming: false,
    error: undefined,
    refusals: [],
  }

  constructor(client: ServerClient, kind: Kind | undefined) {
    this.#client = client
    this.#kind = kind
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getState = (): QueueState => this.#state

  /** Claims more, and what is held for longer. One after the other: a late answer knows less. */
  claim(): Promise<void> {
    if (this.#claiming !== undefined) {
      this.#isWantedAgain = true
      return this.#claiming
    }
    this.#set({ isClaiming: true })
    this.#claiming = this.#claimOnce().then(() => {
      this.#claiming = undefined
      if (!this.#isWantedAgain) return this.#set({ isClaiming: false })
      this.#isWantedAgain = false
      return this.claim()
    })
    return this.#claiming
  }

  async #claimOnce(): Promise<void> {
    try {
      const { data, meta } = await this.#client.claimMessages({
        body: { limit: batch, ...(this.#kind && { kind: this.#kind }) },
      })
      const held = data.filter(({ messageId }) => !this.#gone.has(messageId))
      this.#set({ held, counts: meta, error: undefined })
    } catch (error) {
      this.#set({ error })
    }
  }

  /** Takes effect after some seconds, or with the next decision. */
  decide(ids: readonly string[], decision: Decision): void {
    const all = this.#state.held
      .filter((claimed) => ids.includes(claimed.messageId) && isPossible(decision, claimed))
      .map((claimed) => ({ claimed, decision }))
    if (all.length === 0) return
    void this.#flush()
    for (const { claimed } of all) this.#gone.add(claimed.messageId)
    const timer = window.setTimeout(() => void this.#flush(), undoMs)
    this.#waiting = { all, timer }
    this.#set({
      held: this.#state.held.filter(({ messageId }) => !this.#gone.has(messageId)),
      last: { decision, count: all.length },
    })
    if (this.#state.held.length < fewLeft) void this.claim()
  }

  undo(): boolean {
    if (!this.#waiting) return false
    const { all, timer } = this.#waiting
    window.clearTimeout(timer)
    this.#waiting = undefined
    for (const { claimed } of all) this.#gone.delete(claimed.messageId)
    this.#set({
      held: [...all.map(({ claimed }) => claimed), ...this.#state.held],
      last: undefined,
    })
    return true
  }

  /** The person leaves the page: what they decided stands, the rest is for others. */
  async close(): Promise<void> {
    await this.#flush()
    await this.#client.releaseMessages({ body: {} })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    if (!waiting) return
    window.clearTimeout(waiting.timer)
    this.#waiting = undefined
    this.#set({ last: undefined })
    await Promise.all(waiting.all.map((one) => this.#send(one)))
    if (this.#state.held.length < fewLeft) await this.claim()
  }

  async #send({ claimed, decision }: Decided): Promise<void> {
    const { messageId: id, kind, message } = claimed
    const body = { status: decision === 'approve' ? 'approved' : 'disapproved' } as const
    try {
      await (kind === 'blocked'
        ? this.#client.reviewBlockedMessage({ params: { messageId: id }, body })
        : this.#client.reviewFlaggedMessage({ params: { id }, body }))
      await this.#restrict(decision, message)
    } catch (error) {
      this.#set({ refusals: [...this.#state.refusals.slice(-4), { id, error }] })
    }
  }

  async #restrict(decision: Decision, { receiver: guid, sender: uid }: Claimed['message']) {
    const params = { guid, uid }
    try {
      if (decision === 'ban') await this.#client.banUser({ params })
      if (decision === 'kick') await this.#client.kickMember({ params })
    } catch (error) {
      // Of several messages of one sender the first has done it.
      const code = error instanceof ChoraleError ? error.code : ''
      if (!['ERR_ALREADY_BANNED', 'ERR_GROUP_NOT_JOINED'].includes(code)) throw error
    }
    if (decision === 'deactivate') {
      await this.#client.deactivateUsers({ body: { uidsToDeactivate: [uid] } })
    }
  }

  #set(change: Partial<QueueState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}
