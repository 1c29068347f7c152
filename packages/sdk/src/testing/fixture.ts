import type { Message, ServerFrame } from '../contract.generated.ts'
import { type ConnectOptions, connect, type Session, type SessionEvents } from '../index.ts'
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts'

export const conversationId = 'ann_user_bob'
export const bob = { receiver: 'bob', receiverType: 'user' } as const

/** The entry of a conversation with bob; its id grows with seq. */
export function messageOf(seq: number, more: Partial<Message> = {}): Message {
  return {
    id: String(1000 + seq),
    conversationId,
    sender: 'bob',
    receiver: 'ann',
    receiverType: 'user',
    category: 'message',
    type: 'text',
    sentAt: seq,
    updatedAt: seq,
    data: { text: `number ${seq}` },
    ...more,
  }
}

export function messageFrame(seq: number, more: Partial<Message> = {}): ServerFrame {
  return { type: 'message', conversationId, seq, change: 0, message: messageOf(seq, more) }
}

export function changedFrame(seq: number, change: number, text: string): ServerFrame {
  const message = messageOf(seq, { data: { text } })
  return { type: 'changed', conversationId, seq, change, message }
}

export interface Fixture extends AsyncDisposable {
  readonly server: ScriptedServer
  readonly session: Session
  /** Every event of this name so far. */
  heard<N extends keyof SessionEvents>(name: N): SessionEvents[N][]
  /** Texts of the messages so far. */
  texts(): (string | undefined)[]
  /** The next event of this name. */
  once<N extends keyof SessionEvents>(name: N): Promise<SessionEvents[N]>
}

const quick: Partial<ConnectOptions> = {
  backoff: { baseMs: 1, maxMs: 20 },
  patienceMs: 1,
}

/** A session against a server that a test plays. */
export async function openFixture(options: Partial<ConnectOptions> = {}): Promise<Fixture> {
  const server = await startScriptedServer()
  const session = connect({ url: server.url, authToken: 'token', ...quick, ...options })
  const events: { [N in keyof SessionEvents]: SessionEvents[N][] } = {
    connection: [],
    message: [],
    changed: [],
    reload: [],
    left: [],
    outgoing: [],
    receipt: [],
    presence: [],
    upload: [],
    typing: [],
    customEvent: [],
  }
  const listen = <N extends keyof SessionEvents>(name: N) =>
    session.on(name, (event) => events[name].push(event))
  // The keys of an object literal are the names that it was written with.
  for (const name of Object.keys(events) as (keyof SessionEvents)[]) listen(name)
  return {
    server,
    session,
    heard: (name) => events[name],
    texts: () => events.message.map(({ message }) => message.data.text),
    once: (name) =>
      new Promise((resolve) => {
        const stop = session.on(name, (event) => {
          stop()
          resolve(event)
        })
      }),
    async [Symbol.asyncDispose]() {
      session.close()
      await server[Symbol.asyncDispose]()
    },
  }
}
