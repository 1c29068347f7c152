import { randomUUID } from 'node:crypto'
import { allOperations, type OperationName } from '@chorale/contract/api'
import type { ClientFrame } from '@chorale/contract/frames'
import type { Logger } from 'pino'
import { failureOf } from '../pipeline/errors.ts'
import { Failure } from '../pipeline/failure.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import { RawJson } from '../pipeline/raw-json.ts'
import { inTrace, type Tracer } from '../tracing/tracer.ts'
import { serialiseAnswer, serialiseRefusal } from './frames.ts'
import type { Session } from './session.ts'

type CallFrame = Extract<ClientFrame, { type: 'call' }>

export interface CallParts {
  readonly pipeline: Pipeline
  readonly log: Logger
  /** For lines that hold no secret: looking for one costs more than the line. */
  readonly lines: Logger
  readonly tracer?: Tracer | undefined
  observe(operation: string, status: number, seconds: number): void
}

/** A call takes the same road as over REST; its answer has the same id. */
export async function answer(
  parts: CallParts,
  session: Session,
  { id, operation, input = {} }: CallFrame,
): Promise<void> {
  const startedAt = performance.now()
  const requestId = randomUUID()
  const attributes = { 'chorale.request.id': requestId }
  const span = parts.tracer?.start(operation.slice(0, 64), { kind: 'server', attributes })
  let status = 200
  let code: string | undefined
  try {
    const admitted = await parts.pipeline.admit({
      name: nameOf(operation),
      credentials: session.credentials,
      address: session.address,
      params: input.params ?? {},
      query: input.query ?? {},
      requestId,
    })
    const run = () => parts.pipeline.run(admitted, { bytes: 0, body: () => () => input.body })
    const { body } = await (span ? inTrace(span, run) : run())
    session.connection.say(
      serialiseAnswer(id, body instanceof RawJson ? body.text : JSON.stringify(body)),
    )
  } catch (error) {
    const failure = failureOf(error, requestId, parts.log)
    status = failure.status
    code = failure.code
    session.connection.say(serialiseRefusal(id, failure.body()))
    // Its token is refused by now.
    if (status === 401) session.connection.close('notAuthenticated')
  }
  span?.end({ 'http.response.status_code': status })
  if (!isOperation(operation)) return
  const ms = performance.now() - startedAt
  parts.observe(operation, status, ms / 1000)
  const { address, identity } = session
  const who = {
    over: 'websocket',
    address,
    caller: 'device',
    appId: identity.appId,
    uid: identity.uid,
  }
  parts.lines.info({
    operation,
    status,
    ms: Math.round(ms),
    requestId,
    ...(span && { traceId: span.context.traceId }),
    ...who,
    ...(code && { code }),
  })
}

function nameOf(operation: string): OperationName {
  if (isOperation(operation)) return operation
  throw new Failure('ERR_API_NOT_FOUND', { method: 'call', path: operation })
}

function isOperation(name: string): name is OperationName {
  // The table says whether it is one of its names.
  return allOperations.has(name as OperationName)
}
