import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import { sayGoodbye } from './goodbye.ts'
import type { Session } from './session.ts'
import type { Users } from './users.ts'

export interface RecheckParts {
  readonly users: Pick<Users, 'standingsOf'>
  readonly compareMs: number
  readonly clock: () => number
  readonly log: Logger
}

/** Checks the credentials of open connections again, and closes those that are refused by now. */
export interface Recheck extends Disposable {
  keep(session: Session): void
  forget(session: Session): void
  /** These at once, or in the next round if the database does not answer. */
  now(sessions: Iterable<Session>): void
  /** After an absence of NATS: any signal may be lost. */
  all(): void
}

const maxPerStatement = 500
/** How often tokens that have expired are looked for. */
const expiryMs = 1000
/** After so many rounds every connection has been checked, however many there are. */
const maxRounds = 12

export function startRechecking({ users, compareMs, clock, log }: RecheckParts): Recheck {
  /** In the order of their last check. */
  const kept = new Set<Session>()
  /** Those whose token ends by itself. */
  const expiring = new Set<Session>()
  const due = new Set<Session>()
  let busy = false

  async function check(sessions: readonly Session[]): Promise<void> {
    const standings = await users.standingsOf(sessions.map(({ credentials }) => credentials))
    const held: Connection[] = []
    for (const [place, session] of sessions.entries()) {
      if (standings[place] === 'held') held.push(session.connection)
      else if (standings[place] !== 'valid') session.connection.close('notAuthenticated')
      if (kept.delete(session)) kept.add(session)
    }
    void sayGoodbye(held)
  }

  async function checkDue(): Promise<void> {
    if (busy) return
    busy = true
    let batch: Session[] = []
    try {
      while (due.size > 0) {
        batch = first(due, maxPerStatement)
        // Before they are read: whoever becomes due meanwhile is read once more.
        for (const session of batch) due.delete(session)
        await check(batch)
      }
    } catch (error) {
      for (const session of batch) if (kept.has(session)) due.add(session)
      log.warn({ err: error }, 'could not check the credentials of open connections again')
    } finally {
      busy = false
    }
  }

  function now(sessions: Iterable<Session>): void {
    for (const session of sessions) due.add(session)
    void checkDue()
  }

  /** Nobody has to be asked: the end of a token does not move. */
  function closeExpired(): void {
    const at = clock()
    for (const { identity, connection } of expiring) {
      if ((identity.expiresAt ?? Infinity) <= at) connection.close('notAuthenticated')
    }
  }

  const timer = setInterval(() => {
    now(first(kept, Math.max(maxPerStatement, Math.ceil(kept.size / maxRounds))))
  }, compareMs)
  const expiry = setInterval(closeExpired, Math.min(compareMs, expiryMs))
  return {
    keep(session) {
      kept.add(session)
      if (session.identity.expiresAt !== null) expiring.add(session)
    },
    forget(session) {
      kept.delete(session)
      expiring.delete(session)
      due.delete(session)
    },
    now,
    all: () => now(kept),
    [Symbol.dispose]() {
      clearInterval(timer)
      clearInterval(expiry)
    },
  }
}

function first<T>(all: Iterable<T>, most: number): T[] {
  return Iterator.from(all).take(most).toArray()
}
