import { connect, type Positions, type Session, SessionError } from '@chorale/sdk'
import type { View } from '../sends/verdict.ts'
import type { Room, Someone } from './crowd.ts'

/** A device of the SDK that comes and goes, and keeps all that it was shown. */
export interface SimulatedClient extends Disposable {
  readonly someone: Someone
  /** Each of its conversations, from the first entry on. */
  views(): View[]
  /** What does not belong into a life without a gap: reloads, expulsions. */
  readonly surprises: readonly string[]
  leave(): void
  /** With the positions where it stopped. */
  come(): void
  /** The id, however often the connection is lost or the device leaves. */
  send(room: Room, muid: string, text: string): Promise<number>
}

export function openSimulatedClient(
  someone: Someone,
  origin: string,
  appId: string,
): SimulatedClient {
  const { uid, authToken, rooms } = someone
  const heard = new Map<string, number[]>(rooms.map(({ conversation }) => [conversation, []]))
  const surprises: string[] = []
  let positions: Positions = Object.fromEntries(
    rooms.map(({ conversation }) => [conversation, { seq: 0, change: 0 }]),
  )
  let here = Promise.withResolvers<Session>()
  let session = open()

  function open(): Session {
    const made = connect({
      url: new URL('/v3/realtime', origin.replace('http', 'ws')).href,
      appId,
      authToken,
      positions,
      backoff: { baseMs: 50, maxMs: 1000 },
    })
    made.on('message', ({ conversationId, message }) => {
      const ids = heard.get(conversationId) ?? []
      heard.set(conversationId, ids)
      ids.push(Number(message.id))
    })
    made.on('reload', ({ conversationId }) => surprises.push(`${uid} reloads ${conversationId}`))
    made.on('left', ({ conversationId }) => surprises.push(`${uid} is out of ${conversationId}`))
    here.resolve(made)
    return made
  }

  function leave(): void {
    here = Promise.withResolvers()
    positions = session.positions
    session.close()
  }

  return {
    someone,
    surprises,
    views: () => [...heard].map(([conversation, ids]) => ({ conversation, reader: uid, ids })),
    leave,
    come() {
      session = open()
    },
    async send({ receiver, receiverType }, muid, text) {
      for (;;) {
        const current = await here.promise
        try {
          const sent = current.send({ receiver, receiverType, clientId: muid, data: { text } })
          return Number((await sent.stored).id)
        } catch (error) {
          // It was closed on the way; the next session asks again, under the same muid.
          if (!(error instanceof SessionError)) throw error
        }
      }
    },
    [Symbol.dispose]: leave,
  }
}
