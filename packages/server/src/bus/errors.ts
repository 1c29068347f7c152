/** There is no connection to NATS. */
export class NatsAway extends Error {
  constructor() {
    super('NATS is away.')
  }
}

/** Of the client's errors, those that say nothing about what was asked. */
const awayNames = new Set([
  'ClosedConnectionError',
  'ConnectionError',
  'DrainingConnectionError',
  'NoResponders',
  'RequestError',
  'TimeoutError',
])

export function isNatsAway(error: unknown): boolean {
  return error instanceof NatsAway || (error instanceof Error && awayNames.has(error.name))
}
