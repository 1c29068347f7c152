import { type Static, type TSchema, Type } from 'typebox'
import { Message } from './conversations/entries.ts'
import { Identifier, OneOf, Timestamp } from './envelope.ts'
import { User } from './users/users.ts'

// Everything that travels over a realtime connection, as JSON. A client sends `auth` first and
// nothing before its `welcome`.

const Frame = <N extends string, T extends Record<string, TSchema>>(type: N, fields: T) =>
  Type.Object({ type: Type.Literal(type), ...fields })

/** How far a device has come in a conversation: its last entry, and the last change it has seen. */
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const Position = Type.Object({ seq: Count, change: Count })
export type Position = Static<typeof Position>

const Positions = Type.Record(Type.String({ description: 'conversationId' }), Position)

/** Whose coming and going a device hears of. */
const PresenceWish = Type.Object({
  of: OneOf('none', 'friends', 'roles', 'all'),
  roles: Type.Optional(Type.Array(Type.String(), { maxItems: 25 })),
})

const receiver = {
  receiver: Identifier('Uid or guid.'),
  receiverType: OneOf('user', 'group'),
}
const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-maxBytes': 5120 })

export const clientFrames = {
  /** Who it is, and what it has seen so far. */
  auth: Frame('auth', {
    authToken: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'An auth token, or a JWT of an issuer that the app trusts.',
    }),
    positions: Type.Optional(Positions),
    presence: Type.Optional(PresenceWish),
  }),
  /** An operation of the REST interface, as the user; `answer` or `refusal` has the same id. */
  call: Frame('call', {
    id: Type.String({ minLength: 1, maxLength: 100 }),
    operation: Type.String({ maxLength: 100 }),
    input: Type.Optional(
      Type.Object({
        params: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
        query: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
        body: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
      }),
    ),
  }),
  typing: Frame('typing', {
    ...receiver,
    state: OneOf('started', 'ended'),
    metadata: Type.Optional(Anything),
  }),
  /** Reaches who is there now, and is kept nowhere. */
  transient: Frame('transient', { ...receiver, data: Anything }),
  ping: Frame('ping', {}),
}

const change = {
  conversationId: Type.String(),
  seq: Type.Integer({ description: 'Place in the conversation: 1, 2, 3, ...' }),
  change: Type.Integer({ description: 'The last change of the conversation that this shows.' }),
  message: Message,
}

export const serverFrames = {
  welcome: Frame('welcome', {
    user: User,
    heartbeatMs: Type.Integer({ description: 'Send `ping` at least this often.' }),
    /** Where each conversation stands now. What was missed comes first, in order. */
    positions: Positions,
  }),
  /** A new entry: a message, or something that happened to a group. */
  message: Frame('message', change),
  /** An entry as it is now: edited, deleted, pinned, reacted to. */
  changed: Frame('changed', change),
  /** Too much was missed: read the conversation's list anew, and go on from here. */
  reload: Frame('reload', { conversationId: Type.String(), position: Position }),
  /** The conversation is not theirs any more: they left, or were kicked or banned. */
  left: Frame('left', { conversationId: Type.String() }),
  receipt: Frame('receipt', {
    conversationId: Type.String(),
    kind: OneOf('delivered', 'read'),
    uid: Type.String(),
    messageId: Type.String({ description: 'Up to this one.' }),
    at: Timestamp,
  }),
  presence: Frame('presence', {
    uid: Type.String(),
    status: OneOf('available', 'offline'),
    lastActiveAt: Timestamp,
  }),
  typing: Frame('typing', {
    sender: Type.String(),
    ...receiver,
    state: OneOf('started', 'ended'),
    metadata: Type.Optional(Anything),
  }),
  transient: Frame('transient', { sender: Type.String(), ...receiver, data: Anything }),
  /** How far the check of a file is that the user has brought; also their other devices hear it. */
  upload: Frame('upload', {
    uploadId: Type.String(),
    state: OneOf('checking', 'ready', 'refused'),
    step: Type.Optional({
      ...OneOf('received', 'type', 'thumbnails', 'scan', 'waiting'),
      description:
        'Of a check: all bytes are there; its content is looked at; pictures of it are stored; it ' +
        'is scanned for viruses; a part that is needed is away, and the step is made again.',
    }),
    why: Type.Optional(Type.String({ description: 'Why it was refused.' })),
  }),
  answer: Frame('answer', { id: Type.String(), body: Type.Unknown() }),
  refusal: Frame('refusal', {
    id: Type.Optional(Type.String()),
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      devMessage: Type.String(),
      details: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    }),
  }),
  pong: Frame('pong', {}),
  /** Before the server closes: whether and when to come again. */
  goodbye: Frame('goodbye', { reason: Type.String(), retryAfterMs: Type.Optional(Type.Integer()) }),
}

type FrameOf<T extends Record<string, TSchema>> = { [N in keyof T]: Static<T[N]> }[keyof T]
export type ClientFrame = FrameOf<typeof clientFrames>
export type ServerFrame = FrameOf<typeof serverFrames>

/** Why a connection was closed, by range: 4000 come again and resume, 4400 do not, 4500 later. */
export const closeCodes = {
  goingAway: 4000,
  tooSlow: 4001,
  silent: 4002,
  notAuthenticated: 4401,
  forbidden: 4403,
  badFrame: 4400,
  tooManyConnections: 4429,
  overloaded: 4500,
} as const
