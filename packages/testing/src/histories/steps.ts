import type { GroupScope } from '@chorale/contract/groups'
import fc from 'fast-check'

/** One call of a history. What a kind does not need it leaves alone. */
export interface Step {
  readonly kind: Kind
  /** Who acts; undefined: the app itself. */
  readonly by: string | undefined
  readonly on: string
  readonly lists: Lists
  readonly scope: GroupScope
  readonly type: 'public' | 'private'
  /** Which entry is meant, counted from the first and round again; undefined: the last. */
  readonly to: number | undefined
  readonly tags: readonly string[]
}

export interface Lists {
  readonly admins: readonly string[]
  readonly moderators: readonly string[]
  readonly participants: readonly string[]
  readonly usersToBan: readonly string[]
}

/** How often each kind is drawn. */
const weights = {
  create: 1,
  join: 8,
  leave: 3,
  add: 5,
  kick: 3,
  ban: 3,
  unban: 3,
  scope: 5,
  send: 12,
  read: 12,
  unread: 6,
  reset: 2,
  tag: 2,
  look: 4,
} as const

type Kind = keyof typeof weights

/** Kinds that only a person can do. */
const personal: ReadonlySet<Kind> = new Set<Kind>([
  'join',
  'leave',
  'send',
  'read',
  'unread',
  'reset',
  'tag',
  'look',
])

const kind = fc.oneof(
  ...Object.entries(weights).map(([name, weight]) => ({
    weight,
    // The names are those of the table above.
    arbitrary: fc.constant(name as Kind),
  })),
)

const scope = fc.constantFrom<GroupScope>('admin', 'moderator', 'participant')

function stepAmong(uids: readonly string[]): fc.Arbitrary<Step> {
  const known = fc.constantFrom(...uids)
  const uid = fc.oneof({ weight: 30, arbitrary: known }, fc.constant('nobody'))
  const some = fc.uniqueArray(uid, { maxLength: 4 })
  const none = { weight: 2, arbitrary: fc.constant<string[]>([]) }
  const lists = fc.record({
    admins: fc.oneof(none, some),
    moderators: fc.oneof(none, some),
    participants: some,
    usersToBan: fc.oneof({ ...none, weight: 4 }, some),
  })
  const by = fc.oneof({ weight: 5, arbitrary: known }, fc.constant(undefined))
  const step = fc
    .record({
      kind,
      by,
      person: known,
      on: uid,
      lists,
      scope,
      type: fc.oneof(
        { weight: 5, arbitrary: fc.constant('public' as const) },
        fc.constant('private' as const),
      ),
      to: fc.oneof({ weight: 2, arbitrary: fc.nat(99) }, fc.constant(undefined)),
      tags: fc.uniqueArray(fc.constantFrom('work', 'home', 'later'), { maxLength: 2 }),
    })
    .map(({ person, ...one }) => (personal.has(one.kind) ? { ...one, by: person } : one))
  // A shorter history is worth more than simpler steps, and is found in a fraction of the time.
  return fc.noShrink(step)
}

export interface History {
  readonly uids: readonly string[]
  readonly steps: readonly Step[]
}

export const crowd = Array.from({ length: 30 }, (_, n) => `u${n + 1}`)

/** 2 to 30 users. The first step makes the group, so that most others find one. */
export function histories(length: { min: number; max: number }): fc.Arbitrary<History> {
  // Among few, more of what one does concerns another.
  const few = { weight: 2, arbitrary: fc.integer({ min: 2, max: 5 }) }
  return fc.oneof(few, fc.integer({ min: 2, max: crowd.length })).chain((users) => {
    const uids = crowd.slice(0, users)
    const first = stepAmong(uids).map((step): Step => ({ ...step, kind: 'create' }))
    const others = fc.array(stepAmong(uids), {
      minLength: length.min,
      maxLength: length.max,
      size: 'max',
    })
    return fc.tuple(first, others).map(([one, more]) => ({ uids, steps: [one, ...more] }))
  })
}

/** A step as one line, with just what its kind uses. */
export function lineOf({ kind, by = 'the app', on, lists, scope, type, to, tags }: Step): string {
  const entry = to === undefined ? 'the last entry' : `entry ${to}`
  const named = Object.entries(lists)
    .filter(([, uids]) => uids.length > 0)
    .map(([name, uids]) => `${name} ${uids.join(' ')}`)
    .join(', ')
  return {
    create: `${by} creates a ${type} group with ${named || 'nobody else'}`,
    join: `${by} joins`,
    leave: `${by} leaves`,
    add: `${by} adds ${named || 'nobody'}`,
    kick: `${by} kicks ${on}`,
    ban: `${by} bans ${on}`,
    unban: `${by} unbans ${on}`,
    scope: `${by} makes ${on} ${scope}`,
    send: `${by} sends`,
    read: `${by} has read up to ${entry}`,
    unread: `${by} marks unread behind ${entry}`,
    reset: `${by} resets the conversation`,
    tag: `${by} tags it [${tags.join(' ')}]`,
    look: `${by} looks at it`,
  }[kind]
}
