import type { Logger } from 'pino'
import type { Signals } from '../bus/signals.ts'
import { type EntranceParts, join, leave, reload } from './entrance.ts'
import { framed, print } from './frames.ts'
import type { Circle, Feed, Users } from './ports.ts'
import type { Session } from './session.ts'
import { type PresenceChange, presenceSubject, type UserSignal, userSubject } from './signals.ts'

export interface PeopleParts extends EntranceParts {
  readonly feed: Feed
  readonly users: Users
  readonly signals: Signals
  readonly log: Logger
  /** The first connection of a user to this gateway came, or the last one went. */
  onMove(move: { appId: string; uid: string; here: boolean }): void
}

/** A user with all their connections to this gateway. */
export interface Person {
  readonly appId: string
  readonly uid: string
  readonly sessions: Set<Session>
  circle: Circle
}

interface Kept extends Person {
  readonly stop: () => void
}

interface Crowd {
  readonly people: Map<string, Kept>
  readonly stop: () => void
  sessions: number
}

/** Who is connected to this gateway. */
export interface People {
  /** Resolves when everything about this user is heard from now on. */
  arrive(session: Session): Promise<void>
  depart(session: Session): void
  find(appId: string, uid: string): Person | undefined
  sessionsOf(appId: string): number
  all(): Iterable<Person>
}

const nobody: Circle = { friends: new Set(), blocked: new Set() }

export function openPeople(parts: PeopleParts): People {
  const crowds = new Map<string, Crowd>()

  function crowdOf(appId: string): Crowd {
    const known = crowds.get(appId)
    if (known) return known
    const people = new Map<string, Kept>()
    const stop = parts.signals.listen(presenceSubject(appId), (text) => {
      // Written by another gateway of this install.
      passPresence(people.values(), JSON.parse(text) as PresenceChange[])
    })
    const crowd = { people, stop, sessions: 0 }
    crowds.set(appId, crowd)
    return crowd
  }

  function personOf(crowd: Crowd, { appId, uid }: { appId: string; uid: string }): Kept {
    const known = crowd.people.get(uid)
    if (known) return known
    const stop = parts.signals.listen(userSubject(appId, uid), (text) => {
      // Written by another process of this install.
      void hear(parts, person, JSON.parse(text) as UserSignal).catch((error) =>
        parts.log.warn({ err: error, appId }, 'a signal to a user was lost'),
      )
    })
    const person: Kept = { appId, uid, sessions: new Set(), circle: nobody, stop }
    crowd.people.set(uid, person)
    parts.onMove({ appId, uid, here: true })
    return person
  }

  return {
    async arrive(session) {
      const { appId, uid } = session.identity
      const crowd = crowdOf(appId)
      const person = personOf(crowd, session.identity)
      person.sessions.add(session)
      crowd.sessions++
      person.circle = await parts.users.circleOf(appId, uid)
    },
    depart(session) {
      leave(parts, session)
      const { appId, uid } = session.identity
      const crowd = crowds.get(appId)
      const person = crowd?.people.get(uid)
      if (!crowd || !person?.sessions.delete(session)) return
      crowd.sessions--
      if (person.sessions.size > 0) return
      crowd.people.delete(uid)
      person.stop()
      parts.onMove({ appId, uid, here: false })
      if (crowd.people.size > 0) return
      crowds.delete(appId)
      crowd.stop()
    },
    find: (appId, uid) => crowds.get(appId)?.people.get(uid),
    sessionsOf: (appId) => crowds.get(appId)?.sessions ?? 0,
    *all() {
      for (const { people } of crowds.values()) yield* people.values()
    },
  }
}

async function hear(parts: PeopleParts, person: Person, signal: UserSignal): Promise<void> {
  const { appId, uid, sessions } = person
  switch (signal.is) {
    case 'joined':
      await Promise.all(
        [...sessions].map(async (session) => {
          await Promise.race([session.entered, session.connection.closed])
          await join(parts, session, signal.at, signal.seq)
        }),
      )
      return
    case 'reset': {
      const seat = await parts.feed.seatOf(appId, uid, signal.at)
      for (const session of sessions) if (seat) reload(session, seat)
      return
    }
    case 'credentials':
      for (const session of sessions) await checkAgain(parts, session)
      return
    case 'circle':
      person.circle = await parts.users.circleOf(appId, uid)
  }
}

/** A token that is refused now ends its connections. */
async function checkAgain({ users }: PeopleParts, session: Session): Promise<void> {
  try {
    await users.authenticate(session.credentials)
  } catch {
    session.connection.close('notAuthenticated')
  }
}

function passPresence(people: Iterable<Person>, changes: readonly PresenceChange[]): void {
  const frames = changes.map((change) => ({ change, bytes: framed(printPresence(change)) }))
  for (const { sessions, circle } of people) {
    for (const session of sessions) {
      const wanted = frames.filter(({ change }) => session.wantsPresence(change, circle))
      if (wanted.length === 0) continue
      session.write(Buffer.concat(wanted.map(({ bytes }) => bytes)), wanted.length)
    }
  }
}

function printPresence({ uid, online, at }: PresenceChange): string {
  return print({
    type: 'presence',
    uid,
    status: online ? 'available' : 'offline',
    lastActiveAt: at,
  })
}
