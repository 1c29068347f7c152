import type { FastifyError } from 'fastify'
import type { Logger } from 'pino'
import { failureOf } from '../pipeline/errors.ts'
import { badRequest, type Failure } from '../pipeline/failure.ts'

/** Whatever was thrown, by Fastify too, as the failure that the client reads. */
export function httpFailureOf(error: unknown, requestId: string, log: Logger): Failure {
  return isFastifyRefusal(error) ? refusal(error) : failureOf(error, requestId, log)
}

/** Fastify refuses what it cannot read at all: too large, aborted, wrong length. */
function isFastifyRefusal(error: unknown): error is FastifyError {
  return (
    error instanceof Error &&
    'code' in error &&
    String(error.code).startsWith('FST_ERR_') &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode < 500
  )
}

function refusal({ code }: FastifyError): Failure {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return badRequest('body', 'The body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return badRequest('content-type', 'Send the body as application/json.')
    case 'FST_ERR_BAD_URL':
      return badRequest('path', 'The address cannot be decoded.')
    default:
      return badRequest('request', 'The request cannot be read.')
  }
}
