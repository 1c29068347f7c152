import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { allOperations, type OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import type { Caller, Credentials } from '../pipeline/caller.ts'
import { badRequest, Failure } from '../pipeline/failure.ts'
import { Lines } from '../pipeline/lines.ts'
import type { AdmittedCall, Pipeline } from '../pipeline/pipeline.ts'
import { RawJson } from '../pipeline/raw-json.ts'
import type { FolderStorage } from '../storage/folder.ts'
import { inTrace, type Tracer } from '../tracing/tracer.ts'
import { answerHeaders } from '../web/answer-headers.ts'
import type { ClientAddress } from '../web/client-address.ts'
import type { Origins } from '../web/origins.ts'
import { credentialsOf, isManagementHost } from './address.ts'
import { bodyReader } from './body.ts'
import { coalesced } from './coalescing.ts'
import {
  type ConsoleAddress,
  consoleCredentialsOf,
  consolePrefix,
  requireOwnPage,
} from './console-routes.ts'
import { openCorrelation, requestIdOf } from './correlation.ts'
import { answerOrigins } from './cors.ts'
import { httpFailureOf } from './fastify-refusals.ts'
import { addFiles } from './files.ts'
import { type FormFiles, filesForm } from './files-form.ts'
import { parseForm } from './form.ts'
import { addPages } from './pages.ts'
import { inspectQuery, parseQuery } from './query.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'
import { openRequestLog, type RequestLog } from './request-log.ts'
import type { Pages } from './root-page.ts'
import { addSignIn, type SignIn } from './sign-in.ts'
import { closeUnread, limitRequestTime } from './unread-body.ts'

export interface HttpParts {
  readonly pipeline: Pipeline
  /** Called for each call, once it is answered. */
  readonly observe: (operation: string, status: number, seconds: number) => void
  /** The version that `/docs` and `/openapi.json` describe; undefined: they are not there. */
  readonly docs: string | undefined
  /** Pages beside these; `chorale start` has one. */
  readonly pages?: Pages | undefined
  readonly log: Logger
  /** Which operations this listener answers. `both` tells them apart by host name. */
  readonly serves: 'chat' | 'management' | 'both' | 'none'
  /** Of `Strict-Transport-Security`; 0: it is not said. */
  readonly hstsSeconds: number
  readonly origins: Origins
  /** Undefined: there is no console. Only beside the management API. */
  readonly signIn?: SignIn | undefined
  /** Where its pages are; undefined: it has none. */
  readonly consoleFiles?: string | undefined
  readonly clientAddress: ClientAddress
  readonly tracer?: Tracer | undefined
  /** Files that this process hands out; undefined: a store does, or there are none. */
  readonly folder?: FolderStorage | undefined
  /** Where browsers read files of the operator's store: the console shows pictures from there. */
  readonly filesOrigin?: string | undefined
  /** Takes files that come in the form of a call. */
  readonly forms: FormFiles
  /** Sockets that the listener holds, those of the gateway included. */
  readonly connections: number
  /** Aborted: whoever gets an answer is told to connect anew. */
  readonly leaving?: AbortSignal | undefined
}

const bodyLimitBytes = 1_048_576
const headersLimitBytes = 16_384
/** Headers must come within this; how often that is looked at. Bodies: `unread-body.ts`. */
const headersTimeoutMs = 10_000
const checkEveryMs = 2000
const versions = ['/v3', '/v3.0']
/**
 * A gateway that takes over from another gets thousands of devices at once. The kernel drops those
 * that find no place, and they try again only after seconds.
 */
export const listenBacklog = 4096
/**
 * Node reserves three bytes for each character of a text that it writes. Where those are over 16 KB, bytes
 * cost it less: 4% of the CPU of a page of a group.
 */
const longText = 5461
/** Of the event loop. Each accepts one connection of the backlog. */
const turnsBeforeClose = listenBacklog + 1000

/** Routes out of the contract. No rule of the service lives here. */
export function buildServer(parts: HttpParts): FastifyInstance {
  const headers = answerHeaders(parts.hstsSeconds)
  const server = openServer(parts, headers)
  server.decorateRequest('caller', undefined)
  server.decorateRequest('admitted', undefined)
  server.decorateRequest('refusal', undefined)
  server.removeAllContentTypeParsers()
  // The second is what nearly all have: found by its name, it need not be taken apart.
  for (const type of ['*', 'application/json']) {
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  }
  const requestLog = openRequestLog(parts)
  const correlate = openCorrelation(server, parts.tracer)
  // One hook for all of it: every call pays for each.
  server.addHook('onRequest', (request, reply, done) => {
    // An empty one is as good as none; the framework would refuse it.
    if (request.raw.headers['content-type'] === '') delete request.raw.headers['content-type']
    reply.headers(headers)
    correlate(request, reply)
    if (answerOrigins(request, reply, parts.origins)) return
    // Here already: behind the hooks its body would be read first.
    done(request.is404 ? notFound(request) : undefined)
  })
  server.addHook('onResponse', requestLog.answered)
  const isClosing = noticeClosing(server)
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isClosing() || parts.leaving?.aborted) reply.header('connection', 'close')
    done(null, closeUnread(request, reply, payload))
  })
  answerErrors(server, parts, requestLog)
  addPages(server, parts, hasConsole(parts) ? parts.consoleFiles : undefined)
  if (parts.folder && parts.serves !== 'management') addFiles(server, parts.folder)
  for (const [name, operation] of allOperations) addOperation(server, parts, name, operation)
  if (hasConsole(parts)) addConsole(server, parts)
  return server
}

function hasConsole({ serves, signIn }: HttpParts): boolean {
  return signIn !== undefined && (serves === 'management' || serves === 'both')
}

function openServer(
  { log, connections }: HttpParts,
  answered: ReturnType<typeof answerHeaders>,
): FastifyInstance {
  const server: FastifyInstance = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    // No plugin waits for anything: what exceeds a limit here is a busy machine, not a plugin.
    pluginTimeout: 0,
    genReqId: ({ headers }) => requestIdOf(headers),
    routerOptions: {
      maxParamLength: 2000,
      querystringParser: parseQuery,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 0,
    http: {
      maxHeaderSize: headersLimitBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      // Otherwise Node answers a request without one itself, and not with our error body.
      requireHostHeader: false,
      // Some clients offer HTTP/2 with every request: that is no reason to refuse the request.
      shouldUpgradeCallback: ({ headers }) =>
        headers.upgrade?.toLowerCase() === 'websocket' &&
        server.server.listenerCount('upgrade') > 0,
    },
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const failure = httpFailureOf(error, request.id, log)
      const named = { ...answered, 'X-Request-Id': request.id }
      void reply.code(failure.status).headers(named).send(failure.body())
    },
    clientErrorHandler: refuseUnreadable,
  })
  // A client that has sent its call and ends its half of the connection, or closes it, is heard all the same:
  // Node would end the other half at once, and the body with it. Node's types leave it out.
  Object.assign(server.server, { httpAllowHalfOpen: true })
  server.server.maxConnections = connections
  server.server.off('request', server.routing)
  server.server.on('request', coalesced(server.routing))
  limitRequestTime(server)
  // An expectation that we do not know is no reason to refuse; Node would, with an empty 417.
  server.server.on('checkExpectation', server.routing)
  // Whoever waits for leave to send the body gets it with the admission.
  server.server.on('checkContinue', server.routing)
  return server
}

function answerErrors(server: FastifyInstance, parts: HttpParts, requestLog: RequestLog): void {
  server.setErrorHandler((error, request, reply) => {
    const { id: requestId } = request
    if (isCutOff(request)) {
      requestLog.aborted(request)
      return reply.send(cutOff().body())
    }
    const failure = httpFailureOf(error, requestId, parts.log)
    request.refusal = failure.code
    return reply.code(failure.status).headers(failure.headers).send(failure.body())
  })
  server.setNotFoundHandler((request) => {
    throw notFound(request)
  })
}

function addOperation(
  server: FastifyInstance,
  parts: HttpParts,
  name: OperationName,
  operation: Operation,
): void {
  const { serves } = parts
  const management = operation.requires === 'management'
  if (serves === 'none' || operation.requires === 'session') return
  if (serves !== 'both' && management !== (serves === 'management')) return
  for (const prefix of management ? [''] : versions) {
    addRoute(server, parts, [name, operation], prefix, (request) => {
      if (management && serves === 'both' && !isManagementHost(request.headers.host)) {
        throw notFound(request)
      }
      return credentialsOf(request.headers)
    })
  }
}

/** Every operation once more, for people who have signed in. */
function addConsole(server: FastifyInstance, parts: HttpParts): void {
  const { signIn, clientAddress } = parts
  if (!signIn) return
  addSignIn(server, signIn, (request) => clientAddress(request.raw))
  // No browser keeps what a person has seen: the next one at the machine may be another.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(`${consolePrefix}/`)) reply.header('Cache-Control', 'no-store')
    done()
  })
  const address: ConsoleAddress = signIn
  for (const [name, operation] of allOperations) {
    const chat = operation.requires !== 'management' && operation.requires !== 'session'
    const prefix = consolePrefix + (chat ? '/v3' : '')
    addRoute(server, parts, [name, operation], prefix, (request) => {
      requireOwnPage(request, address)
      return consoleCredentialsOf(request, address)
    })
  }
}

/** Where a body may have files, it is passed on as it comes. */
function addRoute(
  server: FastifyInstance,
  parts: HttpParts,
  named: readonly [OperationName, Operation],
  prefix: string,
  credentialsIn: (request: FastifyRequest) => Credentials,
): void {
  if (!named[1].takesFiles) {
    addBufferedRoute(server, parts, named, prefix, credentialsIn)
    return
  }
  server.register((scope, _, done) => {
    scope.addContentTypeParser('multipart/form-data', (__, payload, parsed) =>
      parsed(null, payload),
    )
    addBufferedRoute(scope, parts, named, prefix, credentialsIn)
    done()
  })
}

function addBufferedRoute(
  server: FastifyInstance,
  parts: HttpParts,
  [name, operation]: readonly [OperationName, Operation],
  prefix: string,
  credentialsIn: (request: FastifyRequest) => Credentials,
): void {
  const { pipeline, clientAddress } = parts
  server.route({
    method: [operation.method, ...(operation.alsoBy ?? [])],
    url: prefix + operation.path,
    config: { operation: name },
    // Before a byte of the body is read: strangers cannot make us keep any.
    onRequest(request, reply, done) {
      const credentials = credentialsIn(request)
      const { params, query, headers } = request
      inspectQuery(query as Record<string, unknown>)
      const enter = (admitted: AdmittedCall) => {
        request.admitted = admitted
        if (headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue()
        done()
      }
      const admitted = pipeline.admit({
        name,
        credentials,
        address: clientAddress(request.raw),
        params: params as Record<string, unknown>,
        query: query as Record<string, unknown>,
        headers,
        requestId: request.id,
        onIdentified: (caller) => {
          request.caller = caller
        },
      })
      if (admitted instanceof Promise) admitted.then(enter, done)
      else enter(admitted)
    },
    handler: (request, reply) => handle(parts, request, reply),
  })
}

async function handle(
  { pipeline, forms }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { admitted, body } = request
  if (!admitted) throw new Error('A call was handled that nobody had admitted.')
  const contentType = request.headers['content-type']
  const run = () => {
    if (body instanceof Readable) {
      return forms.during(admitted.caller, (intake) =>
        pipeline.run(admitted, filesForm(body, contentType ?? '', intake)),
      )
    }
    return pipeline.run(admitted, {
      bytes: Buffer.isBuffer(body) ? body.length : 0,
      body: (lenient) => bodyReader(body, contentType, lenient),
      form: (schema) => parseForm(body, contentType, schema),
    })
  }
  const answer = await (request.span ? inTrace(request.span, run) : run())
  reply.headers(answer.headers)
  if (answer.body instanceof Lines) {
    return reply
      .type('application/x-ndjson; charset=utf-8')
      .send(Readable.from(answer.body.texts()))
  }
  if (!(answer.body instanceof RawJson)) return reply.send(answer.body)
  const { text } = answer.body
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(text.length > longText ? Buffer.from(text) : text)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationName
  }
  interface FastifyRequest {
    /** Known also when the call was refused, unless the credentials were wrong. */
    caller: Caller | undefined
    admitted: AdmittedCall | undefined
    /** The code of the error that was answered. */
    refusal: string | undefined
  }
}

/** The client has gone while it sent the body: what that broke is no failure of ours. */
function isCutOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Nobody reads it any more. */
function cutOff(): Failure {
  return badRequest('body', 'The body is not whole.')
}

function notFound({ method, url }: FastifyRequest): Failure {
  const path = url.split('?', 1)[0] ?? ''
  const version = /^\/(v\d+(?:\.\d+)?)(?:\/|$)/.exec(path)?.[1]
  return version && !versions.includes(`/${version}`)
    ? new Failure('ERR_INVALID_API_VERSION', { version })
    : new Failure('ERR_API_NOT_FOUND', { method, path })
}

/**
 * What has reached this machine when the process is told to stop is still read and answered; then
 * the client is told to go elsewhere. Without this, an answer on a kept-alive connection would
 * hold up the stop, and a request on an idle one would meet a reset.
 */
function noticeClosing(server: FastifyInstance): () => boolean {
  let closing = false
  server.addHook('preClose', async () => {
    closing = true
    for (let turn = 0; turn < turnsBeforeClose; turn++) await setImmediate()
  })
  return () => closing
}
