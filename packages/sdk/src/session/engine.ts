import type { Message, ServerFrame, User } from '../contract.generated.ts'
import { SessionError } from '../errors.ts'
import { type Ask, askWith } from './ask.ts'
import { type Calls, openCalls } from './calls.ts'
import type { Events } from './events.ts'
import { between } from './history.ts'
import { type ConnectionState, type Link, openLink } from './link.ts'
import { addressOf, greetingOf, type Options } from './options.ts'
import { openOutcome } from './outcome.ts'
import { type Draft, type Outbox, openOutbox } from './outgoing.ts'
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
  let uid = ''
  let connection: ConnectionState = { state: 'connecting', reason: 'start' }

  const calls = openCalls((frame) => link.say(frame))
  const call = askWith(calls, options)
  const outbox = openOutbox({
    ...options,
    isOnline: () => link.isOnline,
    submit: (draft) => submit(call, draft),
    onChange: (outgoing) => events.emit('outgoing', outgoing),
  })
  const timeline = openTimeline({
    ...options,
    between: (message, afterId) => between(call, targetOf(message, uid), afterId, message.id),
    onMessage(entry) {
      if (entry.message.sender === uid) outbox.recognise(entry.message)
      events.emit('message', entry)
    },
    onChanged: (entry) => events.emit('changed', entry),
    onReload: (event) => events.emit('reload', event),
    onLeft: (event) => events.emit('left', event),
    onMoved: oncePerTurn(() => options.onPlaces?.(timeline.places)),
  })
  const link = openLink({
    ...options,
    url: addressOf(options),
    handshakeMs: options.timeoutMs,
    mayRefresh: typeof options.authToken === 'function',
    greeting: () => greetingOf(options, timeline.places),
    onState(now) {
      connection = now
      if (now.state === 'closed') {
        calls.close()
        outbox.close()
        user.reject(new SessionError('closed'))
      }
      events.emit('connection', now)
    },
    onWelcome(frame) {
      uid = frame.user.uid
      user.resolve(frame.user)
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
  return {
    link,
    outbox,
    timeline,
    call,
    user: user.promise,
    get connection() {
      return connection
    },
  }
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
    case 'typing':
    case 'transient':
      // The frame is the event of its own name.
      events.emit(frame.type, frame as never)
  }
}

async function submit(call: Ask, { parentId, ...body }: Draft): Promise<Message> {
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
