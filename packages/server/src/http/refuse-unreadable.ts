import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { badRequest, Failure } from '../pipeline/failure.ts'
import { rawAnswerHeaders } from '../web/answer-headers.ts'
import { newRequestId } from './correlation.ts'

/** What never became a request still gets the error body. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const failure = unreadable(error.code)
  const body = JSON.stringify(failure.body())
  const { status } = failure
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${newRequestId()}\r\n${rawAnswerHeaders}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function unreadable(code: string | undefined): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('ERR_REQUEST_TIMEOUT')
    case 'HPE_HEADER_OVERFLOW':
      return new Failure('ERR_HEADERS_TOO_LARGE')
    default:
      return badRequest('request', 'This is not HTTP.')
  }
}
