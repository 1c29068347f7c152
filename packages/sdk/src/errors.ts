import type { ErrorCode } from './contract.generated.ts'

/** How every error is answered. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly devMessage: string
    readonly details?: Readonly<Record<string, readonly string[]>>
  }
}

/** A service that is newer than this package may have others. */
type AnyCode = ErrorCode | (string & Record<never, never>)

/** The service said no. `code` is what to branch on. */
export class ChoraleError extends Error {
  /** Of HTTP; 0 where the answer came over a session. */
  readonly status: number
  /** One of `ErrorCode`, or one of a newer service. */
  readonly code: AnyCode
  /** More, for developers rather than users. */
  readonly devMessage: string
  /** What is wrong with which field of the input. */
  readonly details: ErrorBody['error']['details']

  constructor(status: number, error: ErrorBody['error']) {
    super(error.message)
    this.name = 'ChoraleError'
    this.status = status
    this.code = error.code
    this.devMessage = error.devMessage
    this.details = error.details
  }
}

const passing: readonly string[] = [
  'ERR_REQUEST_TIMEOUT',
  'ERR_TOO_MANY_REQUESTS',
  'ERR_MISSION_FAILED',
]

/** The service may take it later. */
export function isPassing(error: unknown): boolean {
  return error instanceof ChoraleError && passing.includes(error.code)
}

const refusedTokens: readonly string[] = ['AUTH_ERR_AUTH_TOKEN_NOT_FOUND', 'AUTH_ERR_JWT_REFUSED']

/** Nothing was done, and another token may do. */
export function isTokenRefused(code: string): boolean {
  return refusedTokens.includes(code)
}

const texts = {
  connectionLost: 'The connection was lost before the answer came: it may have happened or not.',
  timeout: 'There was no answer in time: it may have happened or not.',
  queueFull: 'Too many messages wait to be sent.',
  closed: 'The session is closed.',
  otherUser: 'Another user of this device has left it unsent.',
  cancelled: 'The upload was cancelled.',
  aborted: 'The call was aborted: it may have happened or not.',
} as const

/** Nothing was said by the service. */
export class SessionError extends Error {
  /** Which failure it is: `message` says what each means. */
  readonly code: keyof typeof texts

  constructor(code: keyof typeof texts) {
    super(texts[code])
    this.name = 'SessionError'
    this.code = code
  }
}
