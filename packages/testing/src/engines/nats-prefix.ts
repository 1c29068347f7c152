import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

/** Streams of one's own in the NATS that all tests share; the end of the run deletes them. */
export function natsPrefix(): string {
  return `${inject('natsPrefix')}-${randomBytes(4).toString('hex')}`
}
