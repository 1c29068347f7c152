export type EgressReason =
  | 'refused-address'
  | 'refused-url'
  | 'dns'
  | 'timeout'
  | 'connection'
  | 'breaker-open'
  | 'busy'
  | 'too-large'

/** A call that got no answer. Its message may be shown to whoever typed the address. */
export class EgressError extends Error {
  readonly reason: EgressReason

  constructor(reason: EgressReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EgressError'
    this.reason = reason
  }
}
