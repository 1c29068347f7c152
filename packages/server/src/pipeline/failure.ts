import {
  type ErrorBody,
  type ErrorCode,
  type ErrorValueName,
  errors,
} from '@chorale/contract/errors'

export type Details = Readonly<Record<string, readonly string[]>>

interface Extra {
  readonly details?: Details
  readonly headers?: Readonly<Record<string, string>>
}

type Values = Readonly<Record<string, string | number>>

/** All that the texts of the code mention; where that is nothing, they may be left out. */
type Filling<Code extends ErrorCode> = [ErrorValueName<Code>] extends [never]
  ? [values?: Values, extra?: Extra]
  : [values: Readonly<Record<ErrorValueName<Code>, string | number>>, extra?: Extra]

/** The one way to refuse. Anything else that is thrown is a bug, and answers 500. */
export class Failure<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: Details | undefined
  readonly devMessage: string
  readonly headers: Readonly<Record<string, string>>

  constructor(code: Code, ...filling: Filling<Code>) {
    // Both forms of it have these two, in this order.
    const [values = {}, extra = {}] = filling as [values?: Values, extra?: Extra]
    const text = errors[code]
    super(fill(text.message, values))
    this.name = 'Failure'
    this.code = code
    this.status = text.status
    this.devMessage = fill(text.fix, values)
    this.details = extra.details
    this.headers = extra.headers ?? {}
  }

  body(): ErrorBody {
    return {
      error: {
        ...this.brief(),
        source: 'chat-api',
        ...(this.details && { details: this.details }),
      },
    }
  }

  /** As it stands inside a 200 that carries one result per id. */
  brief() {
    return { code: this.code, message: this.message, devMessage: this.devMessage }
  }
}

/** A field-level objection. */
export function badRequest(field: string, ...objections: readonly string[]): Failure {
  return invalid({ [field]: objections })
}

/** The first objection is also the message: that is what most clients log. */
export function invalid(details: Details): Failure {
  const [[field, [objection = ''] = []] = ['body']] = Object.entries(details)
  return new Failure('ERR_BAD_REQUEST', { field, objection }, { details })
}

/** Refused for now. `what` says which limit: `3 a minute are allowed`. */
export function tooManyRequests(
  what: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): Failure {
  return new Failure(
    'ERR_TOO_MANY_REQUESTS',
    { what, seconds },
    { headers: { 'Retry-After': String(seconds), ...headers } },
  )
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole,
  )
}

/**
 * What was remembered does not hold any more, or is not enough for this call: nothing was done, and the
 * pipeline tries it again with a caller that it looks up.
 */
export class StaleFacts extends Error {
  constructor() {
    super('What was remembered of the caller or the receiver has changed.')
    this.name = 'StaleFacts'
  }
}

/** For a step that cannot be checked in the statement of the append, or that cannot be taken back. */
export function requireLookedUp({ recalled }: { readonly recalled: boolean }): void {
  if (recalled) throw new StaleFacts()
}

/** The app moves to another install, or has moved: the next try may reach it there. */
export function appIsHeld(): Failure {
  return new Failure('ERR_MISSION_FAILED', {}, { headers: { 'Retry-After': '1' } })
}

/** Nothing was done. Anything else, a lost connection say, may have come after the commit. */
export function isDecision(error: unknown): boolean {
  return error instanceof StaleFacts || (error instanceof Failure && error.status < 500)
}

/** Does not depend on who the caller is. */
export function isTooMany(error: unknown): boolean {
  return error instanceof Failure && error.status === 429
}
