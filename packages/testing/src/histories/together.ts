import { sql } from 'kysely'
import { expect } from 'vitest'
import { type LogEntry, senderOf } from './model.ts'
import { conversationOf, type Fixture, type Played, play } from './player.ts'
import { checkViews, entryOf, type State, stateOf } from './state.ts'
import { type History, lineOf, type Step } from './steps.ts'

const callers = 8

interface Done {
  readonly step: Step
  readonly played: Played
}

/**
 * Eight callers at once. Which call came first is for the log to say: its order is replayed, and
 * whatever it does not allow (joining twice, adding someone banned) fails, as does every row or
 * answer that does not follow from it.
 */
export async function playTogether(fixture: Fixture, history: History): Promise<void> {
  const done: Done[] = []
  try {
    done.push(...(await found(fixture, history)))
    done.push(...(await storm(fixture, history.steps.slice(1))))
    const state = await stateOf(fixture)
    if (!state) throw new Error('The group was never made.')
    checkEntries(done, state)
    checkMembers(replay(done, state), state)
    await checkPositions(fixture, done, state)
    await checkViews(fixture, state)
  } catch (error) {
    const lines = done.map(({ step, played }) => `${lineOf(step)}: ${played.code}`)
    const log = (await stateOf(fixture).catch(() => undefined))?.log ?? []
    const entries = log.map((entry) => JSON.stringify(entryOf(entry)))
    throw new Error(
      `Eight callers, in the order of their answers:\n${lines.join('\n')}\n` +
        `The log:\n${entries.join('\n')}\n${error instanceof Error ? error.message : error}`,
      { cause: error },
    )
  }
}

/** Several want to found the same group: one does. */
async function found(fixture: Fixture, { uids, steps }: History): Promise<Done[]> {
  const [create] = steps
  if (!create) return []
  // In a public group more can happen.
  const rivals = uids.slice(0, 3).map((by): Step => ({ ...create, type: 'public', by }))
  const done = await Promise.all(
    rivals.map(async (step) => ({ step, played: await play(fixture, step) })),
  )
  expect(done.map(({ played }) => played.code).sort()).toEqual([
    ...rivals.slice(1).map(() => 'ERR_GUID_ALREADY_EXISTS'),
    'ok',
  ])
  return done
}

async function storm(fixture: Fixture, steps: readonly Step[]): Promise<Done[]> {
  const waiting = [...steps]
  const done: Done[] = []
  const caller = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      done.push({ step, played: await play(fixture, step) })
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return done
}

/** Every call that succeeded has its entries in the log, and the log has no others. */
function checkEntries(done: readonly Done[], { log }: State): void {
  const expected = done.flatMap(({ step, played }) =>
    played.code === 'ok' ? left(step, played) : [],
  )
  const names = (entries: readonly Omit<LogEntry, 'counts'>[]) =>
    entries
      .map(({ sender, action, on, newScope }) => [sender, action, on, newScope].join(' '))
      .sort()
  expect(names(log.map(entryOf))).toEqual(names(expected))
  const sent = log.filter(({ category }) => category === 'message').map(({ id }) => id)
  const answered = done.flatMap(({ played }) => played.sentId ?? [])
  expect(sent).toEqual(answered.sort((a, b) => a - b))
}

/** What a successful call leaves in the log. */
function left(step: Step, { each = {} }: Played): Omit<LogEntry, 'counts'>[] {
  const { kind, by, on, scope, lists } = step
  const sender = senderOf(by)
  const accepted = Object.keys(each).filter((uid) => each[uid] === 'ok')
  switch (kind) {
    case 'create':
    case 'add':
      return accepted.map((uid) => {
        const { admins, moderators, participants } = lists
        const isAdded = [...admins, ...moderators, ...participants].includes(uid)
        return { sender, action: isAdded ? 'added' : 'banned', on: uid }
      })
    case 'join':
      return [{ sender, action: 'joined' }]
    case 'leave':
      return [{ sender, action: 'left' }]
    case 'kick':
      return [{ sender, action: 'kicked', on }]
    case 'ban':
      return [{ sender, action: 'banned', on }]
    case 'unban':
      return [{ sender, action: 'unbanned', on }]
    case 'scope':
      return [{ sender, action: 'scopeChanged', on, newScope: scope }]
    case 'send':
      return [{ sender, action: 'sent' }]
    default:
      return []
  }
}

interface Replayed {
  readonly members: Map<string, string>
  readonly bans: Set<string>
  /** How often each came; the founder once without an entry. */
  readonly arrivals: Map<string, number>
}

/** The log in its order, each transition allowed by the state before it. */
function replay(done: readonly Done[], { log }: State): Replayed {
  const founder = done.find(({ step, played }) => step.kind === 'create' && played.code === 'ok')
  const owner = founder?.step.by ?? ''
  const members = new Map([[owner, 'admin']])
  const bans = new Set<string>()
  const arrivals = new Map([[owner, 1]])
  const scopes = scopesGiven(done)
  for (const entry of log) {
    const { sender, action, on = sender, oldScope, newScope } = entryOf(entry)
    const where = `seq ${entry.seq}: ${sender} ${action} ${on}`
    const state = { member: members.get(on), banned: bans.has(on) }
    if (action === 'joined' || action === 'added') {
      expect(state, where).toEqual({ member: undefined, banned: false })
      members.set(on, scopes.get(entry.id) ?? 'unknown')
      arrivals.set(on, (arrivals.get(on) ?? 0) + 1)
    } else if (action === 'left' || action === 'kicked') {
      expect(members.delete(on), where).toBe(true)
      expect(on, where).not.toBe(owner)
    } else if (action === 'banned') {
      expect(state.banned, where).toBe(false)
      expect(on, where).not.toBe(owner)
      members.delete(on)
      bans.add(on)
    } else if (action === 'unbanned') {
      expect(bans.delete(on), where).toBe(true)
    } else if (action === 'scopeChanged') {
      expect(state.member, where).toBe(oldScope)
      members.set(on, newScope ?? 'unknown')
    }
  }
  return { members, bans, arrivals }
}

/** By the id of the entry of an arrival: as what they came. */
function scopesGiven(done: readonly Done[]): Map<number, string> {
  return new Map(
    done.flatMap(({ step: { kind, lists }, played: { arrivals = {} } }) =>
      Object.entries(arrivals).map(([uid, id]): [number, string] => {
        if (kind === 'join') return [id, 'participant']
        if (lists.admins.includes(uid)) return [id, 'admin']
        return [id, lists.moderators.includes(uid) ? 'moderator' : 'participant']
      }),
    ),
  )
}

function checkMembers({ members, bans }: Replayed, state: State): void {
  expect(state.members).toEqual(Object.fromEntries(members))
  expect(state.bans).toEqual([...bans].sort())
}

interface Moved {
  readonly name: string
  readonly uid: string
  readonly seq: number | null
}

/**
 * Who came once stands where their last mark put them. (Of someone who came twice the marks do not
 * say to which of their times they belong; their count is compared with the recount all the same.)
 */
async function checkPositions(
  fixture: Fixture,
  done: readonly Done[],
  state: State,
): Promise<void> {
  const moves = await movesOf(fixture)
  const succeeded = (kind: Step['kind']) =>
    done.filter(({ step, played }) => step.kind === kind && played.code === 'ok').length
  const recorded = (name: string) => moves.filter((move) => move.name === name).length
  expect(recorded('conversation.unread')).toBe(succeeded('unread'))
  expect(recorded('conversation.reset')).toBe(succeeded('reset'))
  expect(recorded('conversation.read')).toBeLessThanOrEqual(succeeded('read'))
  const { arrivals } = replay(done, state)
  for (const { uid, readSeq, resetSeq } of state.participants) {
    const last = moves.findLast((move) => move.uid === uid)
    if (arrivals.get(uid) !== 1 || !last) continue
    expect({ uid, readSeq }).toEqual({ uid, readSeq: last.seq ?? resetSeq })
  }
}

async function movesOf(fixture: Fixture): Promise<Moved[]> {
  const found = await conversationOf(fixture)
  const { rows } = await sql<Moved>`
    select name, payload ->> 'uid' as uid, (payload ->> 'seq')::bigint as seq from outbox
    where app_id = ${fixture.appId} and name like 'conversation.%'
      and (payload ->> 'bucket')::int = ${found?.bucket}
      and (payload ->> 'key')::bigint = ${found?.key}
    order by event_id`.execute(fixture.db)
  return rows
}
