import type { Logger } from 'pino'
import { isUnavailable } from '../database/errors.ts'
import { Failure } from './failure.ts'

/** Whatever was thrown, as the failure that the client reads. A bug is logged and never shown. */
export function failureOf(error: unknown, requestId: string, log: Logger): Failure {
  if (error instanceof Failure) return error
  if (isUnavailable(error)) {
    log.error({ err: error, requestId }, 'the database did not answer a call')
    return new Failure('ERR_MISSION_FAILED', {}, { headers: { 'Retry-After': '1' } })
  }
  log.error({ err: error, requestId }, 'a call failed unexpectedly')
  return new Failure('ERR_EXCEPTION', { requestId })
}
