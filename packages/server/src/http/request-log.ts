import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import { traceOf } from '../pipeline/trace.ts'
import type { ClientAddress } from '../web/client-address.ts'
import { credentialsOf } from './address.ts'

interface Parts {
  readonly log: Logger
  /** Called for each call, once it is answered. */
  readonly observe: (operation: string, status: number, seconds: number) => void
  readonly clientAddress: ClientAddress
}

/** A line for each call. What it says is named here and holds no secret. */
export interface RequestLog {
  answered(request: FastifyRequest, reply: FastifyReply, done: () => void): void
  /** The client has gone before its body was whole. */
  aborted(request: FastifyRequest): void
}

/** Loggers of pino have these, and its types leave them out. */
interface Raw {
  readonly [pino.symbols.chindingsSym]: string
  readonly [pino.symbols.streamSym]: { write(line: string): void }
  readonly [pino.symbols.timeSym]: () => string
}

/**
 * The line of an answered call is put together here, as pino would: what it does for lines in general,
 * looking for secrets and errors above all, takes longer than the line.
 */
export function openRequestLog({ log, observe, clientAddress }: Parts): RequestLog {
  const raw = log as unknown as Raw
  const bindings = raw[pino.symbols.chindingsSym]
  const stream = raw[pino.symbols.streamSym]
  const time = raw[pino.symbols.timeSym]
  const level = pino.levels.values.info
  const whoCalls = ({ admitted, caller, headers }: FastifyRequest) =>
    traceOf(caller, admitted?.call.credentials ?? credentialsOf(headers))
  const addressOf = ({ admitted, raw }: FastifyRequest) =>
    admitted?.call.address ?? clientAddress(raw)
  return {
    answered(request, reply, done) {
      done()
      const { operation } = request.routeOptions.config
      if (!operation) return
      const { statusCode: status, elapsedTime } = reply
      observe(operation, status, elapsedTime / 1000)
      if (!log.isLevelEnabled('info')) return
      const who = whoCalls(request)
      // Field by field: what is put together by spreading takes longer to put together than to print.
      const text = JSON.stringify({
        operation,
        status,
        ms: Math.round(elapsedTime),
        requestId: request.id,
        traceId: request.trace?.traceId,
        address: addressOf(request),
        caller: who.caller,
        appId: who.appId,
        claimedAppId: who.claimedAppId,
        key: who.key,
        keyId: who.keyId,
        uid: who.uid,
        collaboratorId: who.collaboratorId,
        code: request.refusal,
      })
      stream.write(`{"level":${level}${time()}${bindings},${text.slice(1)}\n`)
    },
    aborted(request) {
      const { operation } = request.routeOptions.config
      const facts = { operation, requestId: request.id, traceId: request.trace?.traceId }
      const address = addressOf(request)
      log.info({ ...facts, address, ...whoCalls(request) }, 'request aborted')
    },
  }
}
