import type { Logger } from 'pino'
import type { Signals } from '../bus/signals.ts'
import type { Feed, PresenceChange, Relationships } from '../realtime/ports.ts'
import { appSubject, presenceSubject, type UserSignal, userSubject } from '../realtime/subjects.ts'
import { framed, print } from './frames.ts'
import { type JoinParts, join, leave, reload } from './join.ts'
import type { Recheck } from './recheck.ts'
import type { Session } from './session.ts'
import type { Identity, Users } from './users.ts'

export interface ConnectedUsersParts extends JoinParts {
  readonly feed: Feed
  readonly users: Users
  readonly signals: Signals
  readonly log: Logger
  readonly recheck: Recheck
  readonly connectionsPerUser: number
  readonly connectionsPerApp: number
  /** The first connection of a user to this gateway came, or the last one went. */
  onMove(move: { appId: string; uid: string; here: boolean }): void
}

/** A user with all their connections to this gateway. */
export interface Person {
  readonly appId: string
  readonly uid: string
  readonly sessions: Set<Session>
  relationships: Relationships
}

interface Kept extends Person {
  readonly stop: () => void
}

interface Crowd {
  readonly people: Map<string, Kept>
  stop(): void
  sessions: number
}

/** Who is connected to this gateway. */
export interface ProfileLoader {
  /**
   * Counts it from now until it is closed, and hears everything about its user. False: the user or
   * the app has as many as it may.
   */
  admit(session: Session): boolean
  /** Resolves when it is known whom the user knows. */
  arrive(session: Session): Promise<void>
  find(appId: string, uid: string): Person | undefined
  all(): Iterable<Person>
}

const nobody: Relationships = { friends: new Set(), blocked: new Set() }

export function openProfileLoader(parts: ConnectedUsersParts): ProfileLoader {
  const crowds = new Map<string, Crowd>()

  function crowdOf(appId: string): Crowd {
    const crowd = crowds.get(appId) ?? openCrowd(parts, appId)
    crowds.set(appId, crowd)
    return crowd
  }

  function personOf(crowd: Crowd, { appId, uid }: Identity): Kept {
    const known = crowd.people.get(uid)
    if (known) return known
    const person = openPerson(parts, appId, uid)
    crowd.people.set(uid, person)
    parts.onMove({ appId, uid, here: true })
    return person
  }

  const find = (appId: string, uid: string) => crowds.get(appId)?.people.get(uid)

  function isFull({ appId, uid }: Identity): boolean {
    const own = find(appId, uid)?.sessions.size ?? 0
    const ofApp = crowds.get(appId)?.sessions ?? 0
    return own >= parts.connectionsPerUser || ofApp >= parts.connectionsPerApp
  }

  function depart(session: Session): void {
    leave(parts, session)
    parts.recheck.forget(session)
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
  }

  return {
    admit(session) {
      // Nothing is awaited between the count and the place: those of one moment would all pass.
      if (isFull(session.identity)) return false
      const crowd = crowdOf(session.identity.appId)
      personOf(crowd, session.identity).sessions.add(session)
      crowd.sessions++
      parts.recheck.keep(session)
      session.connection.closed
        .then(() => depart(session))
        .catch((error) => parts.log.error({ err: error }, 'could not end the presence of a device'))
      return true
    },
    async arrive({ identity: { appId, uid } }) {
      const relationships = await parts.users.relationshipsOf(appId, uid)
      const person = find(appId, uid)
      if (person) person.relationships = relationships
    },
    find,
    *all() {
      for (const { people } of crowds.values()) yield* people.values()
    },
  }
}

function openCrowd({ signals, recheck }: ConnectedUsersParts, appId: string): Crowd {
  const people = new Map<string, Kept>()
  const presence = signals.listen(presenceSubject(appId), (text) => {
    // Written by another gateway of this install.
    passPresence(people.values(), JSON.parse(text) as PresenceChange[])
  })
  const credentials = signals.listen(appSubject(appId), () => {
    for (const { sessions } of people.values()) recheck.now(sessions)
  })
  const stop = () => {
    presence()
    credentials()
  }
  return { people, stop, sessions: 0 }
}

function openPerson(parts: ConnectedUsersParts, appId: string, uid: string): Kept {
  const stop = parts.signals.listen(userSubject(appId, uid), (text) => {
    // Written by another process of this install.
    void hear(parts, person, JSON.parse(text) as UserSignal).catch((error) =>
      parts.log.warn({ err: error, appId }, 'could not handle a signal to a user'),
    )
  })
  const person: Kept = { appId, uid, sessions: new Set(), relationships: nobody, stop }
  return person
}

async function hear(parts: ConnectedUsersParts, person: Person, signal: UserSignal): Promise<void> {
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
      const membership = await parts.feed.membershipOf(appId, uid, signal.at)
      for (const session of sessions) if (membership) reload(session, membership)
      return
    }
    case 'credentials':
      parts.recheck.now(sessions)
      return
    case 'upload': {
      const { is: type, ...upload } = signal
      const bytes = framed(print({ type, ...upload }))
      for (const session of sessions) if (session.isIn) session.write(bytes, 1)
      return
    }
    case 'relationships':
      person.relationships = await parts.users.relationshipsOf(appId, uid)
  }
}

function passPresence(people: Iterable<Person>, changes: readonly PresenceChange[]): void {
  const frames = changes.map((change) => ({ change, bytes: framed(serialisePresence(change)) }))
  for (const { sessions, relationships } of people) {
    for (const session of sessions) {
      const wanted = frames.filter(({ change }) => session.wantsPresence(change, relationships))
      if (wanted.length === 0) continue
      session.write(Buffer.concat(wanted.map(({ bytes }) => bytes)), wanted.length)
    }
  }
}

function serialisePresence({ uid, online, at }: PresenceChange): string {
  return print({
    type: 'presence',
    uid,
    status: online ? 'available' : 'offline',
    lastActiveAt: at,
  })
}
