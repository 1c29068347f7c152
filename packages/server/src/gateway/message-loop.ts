import type { ClientFrame, ServerFrame } from '@chorale/contract/frames'
import type { Signals } from '../bus/signals.ts'
import type { Flow } from '../limits/flow.ts'
import { Failure } from '../pipeline/failure.ts'
import { type ConversationSignal, conversationSubject } from '../realtime/subjects.ts'
import { answer, type CallParts } from './calls.ts'
import type { ProfileLoader } from './connected-users.ts'
import { print, serialiseRefusal } from './frames.ts'
import type { ConversationStream } from './hub/conversation-stream.ts'
import type { Session } from './session.ts'
import type { Users } from './users.ts'

export interface MessageLoopParts extends CallParts {
  readonly signals: Signals
  readonly people: ProfileLoader
  readonly users: Pick<Users, 'charge' | 'requireMaySignal'>
  /** How many such frames a user may send, by app and uid. */
  readonly signalFlow: Flow
}

type SignalFrame = Extract<ClientFrame, { type: 'typing' | 'transient' }>

/** What a session says once it is let in. Its calls are handled one after the other. */
export function openMessageLoop(parts: MessageLoopParts, session: Session) {
  let calls = Promise.resolve()
  let passed = Promise.resolve()
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
          passed = passOn(parts, session, frame, passed)
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
function passOn(
  parts: MessageLoopParts,
  session: Session,
  frame: SignalFrame,
  /** Passed on before this one. */
  before: Promise<void>,
): Promise<void> {
  const { appId, uid } = session.identity
  if (!parts.signalFlow.take(`${appId} ${uid}`, 1)) return before
  const stream = streamOf(session, frame)
  const refusal = stream
    ? refusalOf(() => parts.users.charge(session.identity))
    : new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
  if (!stream || refusal) {
    if (refusal) session.connection.say(serialiseRefusal(undefined, refusal.body()))
    return before
  }
  const { relationships } = parts.people.find(appId, uid) ?? {}
  if (frame.receiverType === 'user' && relationships?.blocked.has(frame.receiver)) return before
  const out: ServerFrame = { ...frame, sender: uid }
  const signal: ConversationSignal = { is: 'frame', sender: uid, text: print(out) }
  const pass = () =>
    parts.signals.publish(conversationSubject(stream.followed), JSON.stringify(signal))
  const words = frame.type === 'transient' ? frame.data : frame.metadata
  return before.then(() => (words ? passAllowed(parts, session, frame, words, pass) : pass()))
}

/** What says something is passed on by the rules of a send. */
async function passAllowed(
  { users, log }: MessageLoopParts,
  { credentials, connection }: Session,
  { receiver: id, receiverType: type }: SignalFrame,
  words: Readonly<Record<string, unknown>>,
  pass: () => void,
): Promise<void> {
  try {
    await users.requireMaySignal(credentials, { type, id }, words)
    pass()
  } catch (error) {
    if (!(error instanceof Failure))
      log.warn({ err: error }, 'could not pass on a frame of a device')
    const failure = error instanceof Failure ? error : new Failure('ERR_MISSION_FAILED')
    connection.say(serialiseRefusal(undefined, failure.body()))
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
function streamOf(session: Session, { receiver, receiverType }: SignalFrame) {
  for (const stream of session.following.values()) {
    if (isWith(stream, session.uid, receiver, receiverType)) return stream
  }
  return undefined
}

function isWith(
  { followed }: ConversationStream,
  uid: string,
  other: string,
  type: 'user' | 'group',
) {
  const { receiver } = followed
  if (receiver.kind === 'group') return type === 'group' && receiver.guid === other
  return type === 'user' && other !== uid && receiver.uids.includes(other)
}
