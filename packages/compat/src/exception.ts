import { ChoraleError } from '@chorale/sdk'

/** Every failure. `code` is what to branch on: the service's own, or one of `clientCodes`. */
export class CometChatException extends Error {
  readonly code: string
  readonly details: string

  constructor(error: {
    readonly code: string
    readonly message: string
    readonly details?: string
  }) {
    super(error.message)
    this.code = error.code
    this.name = error.code
    this.details = error.details ?? ''
  }
}

const clientCodes = {
  COMETCHAT_INITIALIZATION_NOT_DONE: 'Call CometChat.init() first.',
  USER_NOT_LOGGED_IN: 'Call CometChat.login() first.',
  MISSING_PARAMETERS: 'A parameter is missing.',
  FAILED_TO_FETCH: 'The service could not be reached.',
} as const

export function failure(code: keyof typeof clientCodes, message: string = clientCodes[code]) {
  return new CometChatException({ code, message })
}

/** What the SDK throws, as this interface has it. */
export function exceptionOf(error: unknown): CometChatException {
  if (error instanceof CometChatException) return error
  if (error instanceof ChoraleError) {
    const fields = Object.entries(error.details ?? {}).map(([name, texts]) => [name, ...texts])
    const details = [error.devMessage, ...fields.map((field) => field.join(' '))].join('\n')
    return new CometChatException({ code: error.code, message: error.message, details })
  }
  return failure('FAILED_TO_FETCH', error instanceof Error ? error.message : String(error))
}
