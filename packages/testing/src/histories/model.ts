import type { GroupScope } from '@chorale/contract/groups'
import type { Lists, Step } from './steps.ts'

/** What came of a step, as far as a client can tell. */
export interface Answer {
  /** `ok`, or the code of the error. */
  readonly code: string
  /** Of a step about several users: what came of each. */
  readonly each?: Readonly<Record<string, string>>
  /** Of a look: unread count, place of the last message, tags. */
  readonly seen?: Seen
}

interface Seen {
  readonly unread: number
  readonly lastSeq: number
  readonly tags: readonly string[]
}

export interface LogEntry {
  readonly sender: string
  readonly counts: boolean
  /** `sent`, or what happened to a member. */
  readonly action: string
  readonly on?: string
  readonly oldScope?: string
  readonly newScope?: string
}

interface Position {
  read: number
  reset: number
  tags: readonly string[]
}

type Rank = 'none' | GroupScope | 'owner'
const height = { none: -1, participant: 0, moderator: 1, admin: 2, owner: 3 } as const
const ok: Answer = { code: 'ok' }
const refused = (code: string): Answer => ({ code: `ERR_${code}` })

/** A group in plain collections: slow, obvious, and the reference for the real one. */
export class GroupModel {
  /** Undefined until someone has created the group. */
  owner: string | undefined
  type: 'public' | 'private' = 'public'
  readonly members = new Map<string, GroupScope>()
  readonly bans = new Set<string>()
  readonly log: LogEntry[] = []
  readonly positions = new Map<string, Position>()
  readonly #exists: ReadonlySet<string>
  /** Whether what happens to members counts as unread and is shown as the last message. */
  readonly #actionsCount: boolean

  constructor(uids: readonly string[], actionsCount: boolean) {
    this.#exists = new Set(uids)
    this.#actionsCount = actionsCount
  }

  /** Does the step, and says what the service must answer. */
  take(step: Step): Answer {
    if (step.kind === 'create') return this.#create(step)
    if (this.owner === undefined) {
      return step.kind === 'send' ? { code: 'not sent' } : refused('GUID_NOT_FOUND')
    }
    const inConversation = conversationSteps.get(step.kind)
    if (inConversation) return inConversation(this, step, step.by ?? '')
    if (step.kind === 'join') return this.#join(step.by ?? '')
    if (step.by !== undefined && !this.members.has(step.by)) {
      return refused(this.type === 'private' ? 'GUID_NOT_FOUND' : 'GROUP_NOT_JOINED')
    }
    return this.#govern(step)
  }

  unreadOf(uid: string): number {
    const { read } = this.positionOf(uid)
    return this.log.slice(read).filter(({ counts, sender }) => counts && sender !== uid).length
  }

  positionOf(uid: string): Position {
    const found = this.positions.get(uid)
    if (!found) throw new Error(`The model has no position of ${uid}.`)
    return found
  }

  /** The place of the last entry that lists show; 0: none. */
  get shownSeq(): number {
    return this.log.findLastIndex(({ counts }) => counts) + 1
  }

  append(entry: Omit<LogEntry, 'counts'>): void {
    this.log.push({ ...entry, counts: entry.action === 'sent' || this.#actionsCount })
  }

  #create({ by, type, lists }: Step): Answer {
    if (this.owner !== undefined) return refused('GUID_ALREADY_EXISTS')
    this.owner = by ?? 'app_system'
    this.type = type
    if (by !== undefined) this.#arrive([by], 'admin')
    return this.#admit(by, lists, by)
  }

  #govern({ kind, by, on, lists, scope }: Step): Answer {
    const acting = by === undefined ? undefined : this.#rankOf(by)
    if (kind === 'leave') return this.#leave(by ?? '')
    if (kind === 'add') {
      if (acting && height[acting] < height.admin) return refused('GROUP_NO_ADMIN_SCOPE')
      return this.#admit(by, lists, undefined)
    }
    if (kind === 'kick' || kind === 'scope') {
      if (!this.members.has(on)) return refused('NOT_A_MEMBER')
      return kind === 'kick' ? this.#kick(by, acting, on) : this.#rescope(by, acting, on, scope)
    }
    if (kind === 'unban') {
      if (acting && height[acting] < height.moderator) return refused('GROUP_NO_MODERATOR_SCOPE')
      if (!this.#exists.has(on)) return refused('UID_NOT_FOUND')
      if (!this.bans.delete(on)) return refused('NOT_A_BANNED_USER')
      this.append({ sender: senderOf(by), action: 'unbanned', on })
      return ok
    }
    if (!this.#exists.has(on)) return refused('UID_NOT_FOUND')
    const objection = this.#objectionOver(by, acting, on)
    if (objection) return objection
    if (this.bans.has(on)) return refused('ALREADY_BANNED')
    this.#ban(by, on)
    return ok
  }

  #join(uid: string): Answer {
    if (this.bans.has(uid)) return refused('BANNED_GROUPMEMBER')
    if (this.type === 'private') return refused('GROUP_JOIN_NOT_ALLOWED')
    if (this.members.has(uid)) return refused('ALREADY_JOINED')
    this.append({ sender: uid, action: 'joined' })
    this.#arrive([uid], 'participant')
    return { ...ok, each: { [uid]: 'ok' } }
  }

  #leave(uid: string): Answer {
    if (uid === this.owner) return refused('GROUP_NO_CLEARANCE')
    this.append({ sender: uid, action: 'left' })
    this.#depart(uid)
    return ok
  }

  #kick(by: string | undefined, acting: Rank | undefined, on: string): Answer {
    const objection = this.#objectionOver(by, acting, on)
    if (objection) return objection
    this.append({ sender: senderOf(by), action: 'kicked', on })
    this.#depart(on)
    return ok
  }

  #rescope(
    by: string | undefined,
    acting: Rank | undefined,
    on: string,
    scope: GroupScope,
  ): Answer {
    const old = this.members.get(on)
    const target = this.#rankOf(on)
    if (by === on) return refused('GROUP_NO_SELF_ACTION')
    if (target === 'owner') return refused('GROUP_NO_SCOPE_CLEARANCE')
    const touchesAdmins = target === 'admin' || scope === 'admin'
    if (acting === 'participant' || (acting === 'moderator' && touchesAdmins)) {
      return refused('GROUP_NO_SCOPE_CLEARANCE')
    }
    if (old === undefined || old === scope) return refused('SAME_SCOPE')
    this.members.set(on, scope)
    const change = { oldScope: old, newScope: scope }
    this.append({ sender: senderOf(by), action: 'scopeChanged', on, ...change })
    return ok
  }

  #objectionOver(by: string | undefined, acting: Rank | undefined, on: string) {
    const target = this.#rankOf(on)
    if (by === on) return refused('GROUP_NO_SELF_ACTION')
    if (target === 'owner') return refused('GROUP_NO_CLEARANCE')
    const free = acting === undefined || height[acting] >= height.admin
    if (free || (acting === 'moderator' && height[target] <= height.participant)) return undefined
    return refused('GROUP_NO_CLEARANCE')
  }

  /** The owner counts as owner even where they are no member. */
  #rankOf(uid: string): Rank {
    return uid === this.owner ? 'owner' : (this.members.get(uid) ?? 'none')
  }

  #admit(by: string | undefined, lists: Lists, founder: string | undefined): Answer {
    const each: Record<string, string> = {}
    const chosen = new Map<string, keyof Lists>()
    for (const list of ['admins', 'moderators', 'participants', 'usersToBan'] as const) {
      for (const uid of lists[list]) {
        if (chosen.has(uid) || uid === founder) continue
        chosen.set(uid, list)
        each[uid] = this.#objectionTo(by, uid, list)
      }
    }
    const accepted = (list: keyof Lists) =>
      [...chosen].flatMap(([uid, of]) => (of === list && each[uid] === 'ok' ? uid : []))
    const added = { admin: 'admins', moderator: 'moderators', participant: 'participants' } as const
    for (const list of Object.values(added)) {
      for (const on of accepted(list)) this.append({ sender: senderOf(by), action: 'added', on })
    }
    // All of them have seen everything up to the last of these arrivals.
    for (const scope of ['admin', 'moderator', 'participant'] as const) {
      this.#arrive(accepted(added[scope]), scope)
    }
    for (const uid of accepted('usersToBan')) this.#ban(by, uid)
    return { ...ok, each }
  }

  #objectionTo(by: string | undefined, uid: string, list: keyof Lists): string {
    if (!this.#exists.has(uid)) return 'ERR_UID_NOT_FOUND'
    if (list !== 'usersToBan') {
      if (this.bans.has(uid)) return 'ERR_BANNED_GROUPMEMBER'
      return this.members.has(uid) ? 'ERR_ALREADY_JOINED' : 'ok'
    }
    if (this.bans.has(uid)) return 'ERR_ALREADY_BANNED'
    if (uid === by) return 'ERR_GROUP_NO_SELF_ACTION'
    return uid === this.owner ? 'ERR_GROUP_NO_CLEARANCE' : 'ok'
  }

  #arrive(uids: readonly string[], scope: GroupScope): void {
    for (const uid of uids) {
      this.members.set(uid, scope)
      this.positions.set(uid, { read: this.log.length, reset: 0, tags: [] })
    }
  }

  #depart(uid: string): void {
    this.members.delete(uid)
    this.positions.delete(uid)
  }

  #ban(by: string | undefined, on: string): void {
    this.bans.add(on)
    this.append({ sender: senderOf(by), action: 'banned', on })
    this.#depart(on)
  }
}

export function senderOf(by: string | undefined): string {
  return by ?? 'app_system'
}

type InConversation = (model: GroupModel, step: Step, uid: string) => Answer

/** What a member does with the conversation; nobody else can. */
const member =
  (act: (model: GroupModel, step: Step, uid: string, position: Position) => Answer) =>
  (model: GroupModel, step: Step, uid: string): Answer => {
    const position = model.positions.get(uid)
    if (position) return act(model, step, uid, position)
    return refused(model.type === 'private' ? 'GUID_NOT_FOUND' : 'CONVERSATION_NOT_ACCESSIBLE')
  }

/** The place that a mark means: 0 where it names an entry that is not there for this user. */
function placeOf({ log }: GroupModel, to: number | undefined, { reset }: Position): number {
  if (to === undefined) return log.length
  const seq = (to % (log.length + 1)) + 1
  return seq <= log.length && seq > reset ? seq : 0
}

function look(model: GroupModel, uid: string, { reset, tags }: Position): Answer {
  const lastSeq = model.shownSeq
  if (lastSeq <= reset) return refused('CONVERSATION_NOT_ACCESSIBLE')
  return { ...ok, seen: { unread: model.unreadOf(uid), lastSeq, tags } }
}

const conversationSteps: ReadonlyMap<Step['kind'], InConversation> = new Map([
  [
    'send',
    (model: GroupModel, _: Step, sender: string) => {
      if (!model.positions.has(sender)) return { code: 'not sent' }
      model.append({ sender, action: 'sent' })
      return ok
    },
  ],
  [
    'read',
    member((model, { to }, _, position) => {
      const place = placeOf(model, to, position)
      if (to !== undefined && place === 0) return refused('MESSAGE_ID_NOT_FOUND')
      position.read = Math.max(position.read, place)
      return ok
    }),
  ],
  [
    'unread',
    member((model, { to = 0 }, _, position) => {
      const place = placeOf(model, to, position)
      if (place === 0) return refused('MESSAGE_ID_NOT_FOUND')
      position.read = place
      return ok
    }),
  ],
  [
    'reset',
    member((model, _, __, position) => {
      position.read = model.log.length
      position.reset = model.log.length
      return ok
    }),
  ],
  [
    'tag',
    member((model, { tags }, uid, position) => {
      const before = position.tags
      position.tags = tags
      const answer = look(model, uid, position)
      // What could not be shown was not done.
      if (answer.code !== 'ok') position.tags = before
      return answer
    }),
  ],
  ['look', member((model, _, uid, position) => look(model, uid, position))],
])
