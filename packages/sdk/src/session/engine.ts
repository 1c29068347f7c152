import type { Message, ServerFrame, User } from '../contract.generated.ts'
import { SessionError } from '../errors.ts'
import type { UploadProgress } from '../files/upload.ts'
import { type Ask, askWith } from './ask.ts'
import type { Attached } from './attached.ts'
import { type Calls, openCalls } from './calls.ts'
import type { Events } from './events.ts'
import { between } from './history.ts'
import { type ConnectionState, type Link, openLink } from './link.ts'
import { addressOf, greetingOf, type Options } from './options.ts'
import { type Outcome, openOutcome } from './outcome.ts'
import { type Draft, type Outbox, openOutbox } from './outgoing.ts'
import { type Keeper, openKeeper } from './storage.ts'
import { targetOf } from './targets.ts'
import { openTimeline, type Timeline } from './timeline.ts'

/** The parts of a session, put together. */
interface Engine {
  readonly link: Link
  readonly outbox: Outbox
  readonly timeline: Timeline
  readonly call: Ask
  readonly user: Promise<User>
  readonly connection: ConnectionState
}

export function openEngine(options: Options, events: Events): Engine {
  const user = openOutcome<User>()
  // Whoever does not ask for the user need not hear that there is none.
  user.promise.catch(() => undefined)
  const now: Now = { uid: '', connection: { state: 'connecting', reason: 'start' } }
  const calls = openCalls((frame) => link.say(frame), mayRefresh(options))
  const call = askWith(calls, options)
  const attached = options.files?.(call, options.backoff)
  const keeper = keeperOf(
    options,
    () => outbox,
    () => timeline,
  )
  const outbox = openOutbox({
    ...options,
    isOnline: () => link.isOnline,
    async submit(draft) {
      if (!draft.files) return submit(call, draft)
      if (!attached) throw new TypeError('Give `connect` the option `files`.')
      const { clientId } = draft
      const tell = (progress: UploadProgress) =>
        events.emit('outgoing', { clientId, draft, state: 'sending', progress })
      return submit(call, { ...(await attached.bring(draft, tell)), clientId })
    },
    onChange(outgoing) {
      if (outgoing.state !== 'sending') attached?.forget(outgoing.clientId)
      keeper?.hearOutgoing(outgoing)
      events.emit('outgoing', outgoing)
    },
  })
  const timeline = openTimeline({
    ...options,
    between: (message, afterId) => between(call, targetOf(message, now.uid), afterId, message.id),
    onMessage(entry) {
      if (entry.message.sender === now.uid) outbox.recognise(entry.message)
      events.emit('message', entry)
    },
    onChanged: (entry) => events.emit('changed', entry),
    onReload: (event) => events.emit('reload', event),
    onLeft: (event) => events.emit('left', event),
    onMoved: oncePerTurn(() => {
      keeper?.hearPositions(timeline.positions)
      options.onPositions?.(timeline.positions)
    }),
  })
  const link = linkOf({ options, events, user, now, calls, keeper, outbox, attached, timeline })
  return {
    link,
    outbox,
    timeline,
    call,
    user: user.promise,
    get connection() {
      return now.connection
    },
  }
}

interface Now {
  uid: string
  connection: ConnectionState
}

function keeperOf(
  { storage, onError }: Options,
  outbox: () => Outbox,
  timeline: () => Timeline,
): Keeper | undefined {
  const keeper = storage && openKeeper({ storage, outbox, timeline, onError })
  keeper?.restored.catch(onError)
  return keeper
}

interface LinkedParts {
  readonly options: Options
  readonly events: Events
  readonly user: Outcome<User>
  readonly now: Now
  readonly calls: Calls
  readonly keeper: Keeper | undefined
  readonly outbox: Outbox
  readonly attached: Attached | undefined
  readonly timeline: Timeline
}

function linkOf(parts: LinkedParts): Link {
  const { options, events, user, now, calls, keeper, outbox, attached, timeline } = parts
  return openLink({
    ...options,
    url: addressOf(options),
    handshakeMs: options.timeoutMs,
    mayRefresh: mayRefresh(options),
    async greeting() {
      // A storage that cannot be read is no reason to be without a chat.
      await keeper?.restored.catch(() => undefined)
      return greetingOf(options, timeline.positions)
    },
    onState(state) {
      now.connection = state
      if (state.state === 'closed') {
        attached?.close()
        calls.close()
        outbox.close()
        user.reject(new SessionError('closed'))
      }
      events.emit('connection', state)
    },
    onWelcome(frame) {
      now.uid = frame.user.uid
      user.resolve(frame.user)
      keeper?.welcome(now.uid)
      timeline.welcome(frame.positions)
      calls.resume()
      outbox.flush()
    },
    onFrame: (frame) => route(frame, events, calls, timeline),
    onLost() {
      calls.lose()
      timeline.lose()
    },
  })
}

function mayRefresh({ authToken }: Options): boolean {
  return typeof authToken === 'function'
}

type Routed = Exclude<ServerFrame, { type: 'welcome' }>

function route(frame: Routed, events: Events, calls: Calls, timeline: Timeline): void {
  switch (frame.type) {
    case 'answer':
    case 'refusal':
      calls.settle(frame)
      break
    case 'message':
    case 'changed':
    case 'reload':
    case 'left':
      timeline.hear(frame)
      break
    case 'receipt':
    case 'presence':
    case 'upload':
    case 'typing':
      // The frame is the event of its own name.
      events.emit(frame.type, frame as never)
      break
    case 'transient':
      events.emit('customEvent', frame)
  }
}

/** A draft with its client id, which is `muid` on the wire. */
type Named = Draft & { readonly clientId: string }

async function submit(call: Ask, { parentId, clientId: muid, ...draft }: Named): Promise<Message> {
  const body = { ...draft, muid }
  return parentId === undefined
    ? messageIn(await call('sendMessage', { body }))
    : messageIn(await call('replyToMessage', { params: { id: parentId }, body }))
}

/** One receiver was named, so the answer is one message. */
function messageIn({ data }: { data: object }): Message {
  if (!('id' in data)) throw new TypeError('The service answered for several receivers.')
  // A message has an id, and an outcome for several receivers has none.
  return data as Message
}

function oncePerTurn(work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    void Promise.resolve().then(() => {
      isDue = false
      work()
    })
  }
}
