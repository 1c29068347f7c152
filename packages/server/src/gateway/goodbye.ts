import type { Connection } from './connection.ts'
import { print } from './frames.ts'

/** They come again, but not all at once: the more there are, the longer they are spread. */
export async function sayGoodbye(connections: readonly Connection[]): Promise<void> {
  const spreadMs = 1000 + 2 * connections.length
  const closed = connections.map((connection) => {
    const retryAfterMs = Math.floor(Math.random() * spreadMs)
    connection.say(print({ type: 'goodbye', reason: 'stopping', retryAfterMs }))
    connection.close('goingAway')
    return connection.closed
  })
  await Promise.all(closed)
}
