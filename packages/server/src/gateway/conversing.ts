import type { ClientFrame, ServerFrame } from '@chorale/contract/frames'
import type { Signals } from '../bus/signals.ts'
import type { Flow } from '../limits/flow.ts'
import { Failure } from '../pipeline/failure.ts'
import { type ConversationSignal, conversationSubject } from '../realtime/subjects.ts'
import { answer, type CallParts } from './calls.ts'
import { print, printRefusal } from './frames.ts'
import type { Follower } from './hub/follower.ts'
import type { People } from './people.ts'
import type { Session } from './session.ts'
import type { Users } from './users.ts'

export interface ConversingParts extends CallParts {
  readonly signals: Signals
  readonly people: People
  readonly users: Pick<Users, 'charge' | 'requireMayTell'>
  /** How many such frames a user may send, by app and uid. */
  readonly telling: Flow
}

type SignalFrame = Extract<ClientFrame, { type: 'typing' | 'transient' }>

/** What a session says once it is let in. Its calls are handled one after the other. */
export function openConversing(parts: ConversingParts, session: Session) {
  let calls = Promise.resolve()
  let told = Promise.resolve()
  let waiting = 0

  return {
    hear(frame: ClientFrame): void {
      switch (frame.type) {
        case 'ping':
          session.connection.say(print({ type: 'pong' }))
          break
        case 'call':
          waiting++
          calls = calls.then(() => answer(parts, session, frame)).finally(() => waiting--)
          break
        case 'typing':
        case 'transient':
          told = tell(parts, session, frame, told)
          break
        case 'auth':
          session.connection.close('badFrame')
      }
    },
    /** Calls that are not answered yet. */
    get waiting() {
      return waiting
    },
  }
}

/** Straight to the other side: kept nowhere. Faster than anybody types, it is not passed on. */
function tell(
  parts: ConversingParts,
  session: Session,
  frame: SignalFrame,
  /** Passed on before this one. */
  before: Promise<void>,
): Promise<void> {
  const { appId, uid } = session.identity
  if (!parts.telling.take(`${appId} ${uid}`, 1)) return before
  const follower = followerOf(session, frame)
  const refusal = follower
    ? refusalOf(() => parts.users.charge(session.identity))
    : new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
  if (!follower || refusal) {
    if (refusal) session.connection.say(printRefusal(undefined, refusal.body()))
    return before
  }
  const { relationships } = parts.people.find(appId, uid) ?? {}
  if (frame.receiverType === 'user' && relationships?.blocked.has(frame.receiver)) return before
  const told: ServerFrame = { ...frame, sender: uid }
  const signal: ConversationSignal = { is: 'frame', sender: uid, text: print(told) }
  const pass = () =>
    parts.signals.publish(conversationSubject(follower.followed), JSON.stringify(signal))
  const words = frame.type === 'transient' ? frame.data : frame.metadata
  return before.then(() => (words ? passAllowed(parts, session, frame, words, pass) : pass()))
}

/** What says something is passed on by the rules of a send. */
async function passAllowed(
  { users, log }: ConversingParts,
  { credentials, connection }: Session,
  { receiver: id, receiverType: type }: SignalFrame,
  words: Readonly<Record<string, unknown>>,
  pass: () => void,
): Promise<void> {
  try {
    await users.requireMayTell(credentials, { type, id }, words)
    pass()
  } catch (error) {
    if (!(error instanceof Failure)) log.warn({ err: error }, 'a frame could not be passed on')
    const failure = error instanceof Failure ? error : new Failure('ERR_MISSION_FAILED')
    connection.say(printRefusal(undefined, failure.body()))
  }
}

function refusalOf(charge: () => void): Failure | undefined {
  try {
    charge()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Only in conversations that they are in. */
function followerOf(session: Session, { receiver, receiverType }: SignalFrame) {
  for (const follower of session.following.values()) {
    if (isWith(follower, session.uid, receiver, receiverType)) return follower
  }
  return undefined
}

function isWith({ followed }: Follower, uid: string, other: string, type: 'user' | 'group') {
  const { receiver } = followed
  if (receiver.kind === 'group') return type === 'group' && receiver.guid === other
  return type === 'user' && other !== uid && receiver.uids.includes(other)
}
