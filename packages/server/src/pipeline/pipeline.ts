import { allOperations, type OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import type { TObject } from 'typebox'
import { writeAuditLog } from '../database/audit-log.ts'
import { answeredWithin } from '../database/deadline.ts'
import type { Database } from '../database/pool.ts'
import { ShareUsedUp } from '../database/shares.ts'
import { openUnderWay } from '../limits/under-way.ts'
import type { CommitHook } from '../outbox/committed.ts'
import { openTransactions, type Transactions } from '../outbox/unit-of-work.ts'
import type { FileAddresses } from '../storage/addresses.ts'
import type { Vault } from '../vault/vault.ts'
import { inTurn } from '../watchdog/turns.ts'
import type { AddressLimits } from './address-limits.ts'
import { auditEntryOf, isAudited } from './audit.ts'
import { authorise } from './authorise.ts'
import { bringsMany, type CallSize, isLarge, openCallSize } from './call-size.ts'
import type { Actor, AppIdentity, Caller, Credentials, Identify, Recall } from './caller.ts'
import { appIsHeld, badRequest, isDecision, isTooMany, tooManyRequests } from './failure.ts'
import type { AllHandlers, PartsCtx } from './handler.ts'
import type { InFlight } from './in-flight.ts'
import { Lines } from './lines.ts'
import { type Items, inputInTurns, itemsIn } from './long-bodies.ts'
import { type RateLimit, takeFromBudget } from './rate-limit.ts'
import { RawJson } from './raw-json.ts'
import { lazyValidationOf, type Validation, validationOf } from './validation.ts'

/** A call from any wire, before its body is read. */
interface Call {
  readonly name: OperationName
  readonly credentials: Credentials
  /** Of the client, as far as proxies are believed. */
  readonly address: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, unknown>>
  readonly requestId: string
  /** Is told who calls as soon as that is known, also when the call is refused after that. */
  readonly onIdentified?: (caller: Caller) => void
}

/** A call whose caller is known, may make it, and has paid for it from their budget. */
export interface AdmittedCall {
  readonly call: Call
  readonly caller: Caller
  /** Not looked up: whatever is refused because of it is decided again. */
  readonly recalled: boolean
  /** What the answer says about the budget. */
  readonly headers: Readonly<Record<string, string>>
}

/** What an edge reads only for an admitted call: strangers cannot make us read or parse. */
interface Content {
  /** Of the body, before it is parsed. */
  readonly bytes: number
  /** Parses it anew with each call. `lenient`: also what is not JSON, but can be read as such. */
  readonly body: (lenient: boolean) => (() => unknown) | Promise<() => unknown>
  /** A form: all of it is text, and is read as it is meant. */
  readonly isForm?: true
  /** Only where a wire can carry one. */
  readonly form?: (schema: TObject) => Promise<unknown>
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** An object to print, JSON text in `RawJson`, or many lines of it in `Lines`. */
  readonly body: unknown
}

/** Which call it is, for whoever has to find out what happened. */
export interface CallName {
  readonly operation: OperationName
  readonly requestId: string
  readonly appId: string | undefined
}

export interface Pipeline {
  /**
   * Throws, or rejects with, the failure that a caller deserves who is not known, may not, or has used
   * up the budget. No promise for a caller who is remembered: most are.
   */
  admit(call: Call): AdmittedCall | Promise<AdmittedCall>
  /** Checks the input, handles the call, answers. */
  run(admitted: AdmittedCall, content: Content): Promise<Answer>
  /** Calls that are being handled, the oldest first. */
  underWay(): readonly CallName[]
}

export interface PipelineParts {
  readonly database: Database
  readonly vault: Vault
  readonly identify: Identify
  readonly recall: Recall
  /** Operations that check, in the statement that acts, whether what was remembered still holds. */
  readonly recalling: ReadonlySet<OperationName>
  readonly limits: AddressLimits
  readonly rateLimit: RateLimit
  readonly inFlight: InFlight
  readonly handlers: AllHandlers
  /** A handler that breaks its contract fails the call: in tests. */
  readonly strictAnswers: boolean
  /** A validator is compiled with the first call that needs it: in tests, which call few operations. */
  readonly lazyValidation?: boolean
  readonly addresses?: FileAddresses | undefined
  readonly clock: () => number
  readonly onCommit: CommitHook
}

// One shape for all: the contract has typed each handler, and the validation has typed its input.
type AnyHandler = (input: never, ctx: never) => Promise<unknown>
type AnyPrepared = {
  readonly prepare: (input: never, ctx: never) => Promise<(ctx: never) => Promise<unknown>>
}

interface Route {
  readonly operation: Operation
  readonly validation: Validation
  readonly handler: AnyHandler | AnyPrepared
  readonly install: boolean
  /** The property of its body that may have many of them. */
  readonly items: Items | undefined
}

export function openPipeline(parts: PipelineParts): Pipeline {
  const routes = buildRoutes(parts)
  const running = openUnderWay<AdmittedCall>()
  const routeOf = (name: OperationName) => {
    const route = routes.get(name)
    if (!route) throw new Error(`No handler for ${name}.`)
    return route
  }
  const identify = (call: Call): Promise<Caller> => {
    const { operation } = routeOf(call.name)
    const { credentials, address } = call
    return parts.limits.identify(address, credentials, async () => {
      const known = await answeredWithin(
        parts.database.deadlineMs,
        parts.identify(credentials, operation, call.params),
      )
      call.onIdentified?.(known)
      authorise(known, operation, call)
      if (known.app?.held && writesInApp(known, operation)) throw appIsHeld()
      return known
    })
  }
  const admitAs = (call: Call, caller: Caller, recalled: boolean): AdmittedCall => {
    const { operation } = routeOf(call.name)
    const headers = takeFromBudget(parts.rateLimit, caller, operation)
    if (operation.onBehalfOf === 'required' && !actorOf(caller)) {
      throw badRequest('onBehalfOf', 'This header is required.')
    }
    return { call, caller, recalled, headers }
  }
  const admitRecalled = (call: Call): AdmittedCall | undefined => {
    if (!parts.recalling.has(call.name)) return undefined
    const { operation } = routeOf(call.name)
    const caller = parts.recall(call.credentials, operation)
    // Whether it still is held has to be looked up.
    if (!caller || caller.app?.held) return undefined
    return decidedOnRecall(() => {
      authorise(caller, operation, call)
      const admitted = admitAs(call, caller, true)
      call.onIdentified?.(caller)
      return admitted
    })
  }
  const runAs = (admitted: AdmittedCall, content: Content, size: CallSize): Promise<Answer> => {
    const route = routeOf(admitted.call.name)
    return inTurn(size.turn, () => answer(parts, route, admitted, content, size))
  }
  return {
    admit(call) {
      return admitRecalled(call) ?? identify(call).then((caller) => admitAs(call, caller, false))
    },
    async run(admitted, content) {
      const { call, caller } = admitted
      const size = openCallSize(parts.inFlight, call.name, caller.app?.appId)
      let place: number | undefined
      try {
        const wait = isLarge(call, content) ? size.setLarge() : undefined
        if (wait !== undefined) await wait
        place = running.add(admitted)
        return await runAs(admitted, content, size)
      } catch (error) {
        if (!admitted.recalled || !isDecision(error) || isTooMany(error)) throw error
        const again = { ...admitted, caller: await identify(call), recalled: false }
        return await runAs(again, content, size)
      } finally {
        if (place !== undefined) running.remove(place)
        size.leave()
      }
    },
    underWay: () => running.all().map(nameOf),
  }
}

function nameOf({ call, caller }: AdmittedCall): CallName {
  return { operation: call.name, requestId: call.requestId, appId: caller.app?.appId }
}

async function answer(
  parts: PipelineParts,
  route: Route,
  { call, caller, recalled, headers }: AdmittedCall,
  content: Content,
  size: CallSize,
): Promise<Answer> {
  const { operation } = route
  const lenient = content.isForm === true || isLenient(caller)
  const { params, query, headers: given } = call
  const raw = {
    params,
    query,
    headers: given,
    body: operation.body && (await content.body(lenient)),
    bytes: content.bytes,
    lenient,
    form: operation.form && (await content.form?.(operation.form)),
  }
  const input =
    route.items !== undefined && isLarge(call, content)
      ? await inputInTurns(route.validation, raw, route.items)
      : route.validation.input(raw)
  const wait = bringsMany(input.body) ? size.setLarge() : undefined
  if (wait !== undefined) await wait
  // Once its body is here: a slow upload does not keep its user from other calls.
  const entering = parts.inFlight.enter(caller)
  const entry = entering instanceof Promise ? await entering : entering
  size.turn.onConnection = entry?.heldConnection
  try {
    const body = await open(parts, route, call, { caller, recalled }, input)
    return { headers: operation.deprecated ? { ...headers, Deprecation: 'true' } : headers, body }
  } catch (error) {
    throw error instanceof ShareUsedUp
      ? tooManyRequests('too many calls of this app at once', 1)
      : error
  } finally {
    entry?.leave()
  }
}

/** Undefined: refused because of a caller who was remembered. Who it is now has to be looked up. */
function decidedOnRecall<T>(decide: () => T): T | undefined {
  try {
    return decide()
  } catch (error) {
    if (isDecision(error)) return undefined
    throw error
  }
}

function buildRoutes({
  handlers,
  lazyValidation = false,
}: PipelineParts): ReadonlyMap<OperationName, Route> {
  const validate = lazyValidation ? lazyValidationOf : validationOf
  const inApp: Readonly<Record<string, AnyHandler | AnyPrepared>> = handlers.app
  const inInstall: Readonly<Record<string, AnyHandler | AnyPrepared>> = handlers.install
  return new Map(
    [...allOperations].map(([name, operation]) => {
      const handler = inApp[name] ?? inInstall[name]
      if (!handler) throw new Error(`The operation ${name} has no handler.`)
      const install = name in inInstall
      const items = itemsIn(operation)
      return [name, { operation, validation: validate(operation), handler, install, items }]
    }),
  )
}

/** What every handler gets; inside an app also which, and for whom it acts. */
interface Ctx {
  readonly vault: Vault
  readonly addresses: FileAddresses | undefined
  readonly caller: Caller
  readonly recalled: boolean
  readonly now: number
  readonly db: { readonly appId?: string; readonly db: Database['db'] }
  readonly app?: AppIdentity
  readonly actor?: Actor | undefined
}

type Handle = (ctx: Ctx) => Promise<unknown>

/** Opens what the effect asks for, handles, checks the answer before the commit. */
async function open(
  parts: PipelineParts,
  route: Route,
  call: Call,
  { caller, recalled }: Pick<AdmittedCall, 'caller' | 'recalled'>,
  input: Record<string, unknown>,
): Promise<unknown> {
  const now = parts.clock()
  const { handler, operation } = route
  // The operator is not held up by what an app uses.
  const connections =
    isOperators(caller, operation) || !caller.app
      ? parts.database
      : parts.database.of(caller.app.appId)
  const ctx = ctxOf(parts, route, { caller, recalled }, now, connections.db)
  // Typed per operation in `AllHandlers`; here they are one list.
  const run: Handle =
    typeof handler === 'function'
      ? (ctx) => handler(input as never, ctx as never)
      : await prepare(handler, input, ctx)
  const handle: Handle = async (ctx) => {
    const answer = await run(ctx)
    checkAnswer(parts, route, call, answer)
    if (isAudited(caller, call.name, operation)) {
      await writeAuditLog(ctx.db.db, auditEntryOf(call, caller, input, now))
    }
    return answer
  }
  const { onCommit } = parts
  const { transaction: begin } = connections
  const transactions = () => openTransactions({ begin, onCommit, clock: () => now })
  const answer = within(route, ctx, transactions, handle)
  const { effect } = operation
  // Also what waits behind other statements, to share one.
  return effect === 'write' || effect === 'parts'
    ? answer
    : answeredWithin(parts.database.deadlineMs, answer)
}

function isOperators({ kind }: Caller, { requires }: Operation): boolean {
  return kind === 'management' || (kind === 'collaborator' && requires === 'management')
}

/** What an operator changes goes through, whether or not the app is held. */
function writesInApp(caller: Caller, operation: Operation): boolean {
  return operation.effect !== 'read' && !isOperators(caller, operation)
}

/** Hands over what the effect asks for: a transaction, or plain statements. */
function within(
  { operation: { effect }, install }: Route,
  ctx: Ctx,
  transactions: () => Transactions,
  handle: Handle,
): Promise<unknown> {
  const { appId = '' } = ctx.db
  if (effect === 'write') {
    const work = (opened: Pick<Ctx, 'db'>) => handle({ ...ctx, ...opened })
    return install ? transactions().inInstall(work) : transactions().inApp(appId, work)
  }
  if (install || effect === 'read') return handle(ctx)
  const inTransaction: PartsCtx['inTransaction'] = (work) => transactions().inApp(appId, work)
  return handle(Object.assign(ctx, { inTransaction }))
}

/** The step before the transaction; returns what is left to do in it. */
async function prepare(handler: AnyPrepared, input: object, ctx: Ctx): Promise<Handle> {
  const finish = await handler.prepare(input as never, ctx as never)
  return (ctx) => finish(ctx as never)
}

/** The operator's calls have no app that could want it otherwise. */
function isLenient({ app }: Caller): boolean {
  return app?.settings['api.lenientInput'] !== false
}

function ctxOf(
  { vault, addresses }: PipelineParts,
  { install }: Route,
  { caller, recalled }: Pick<AdmittedCall, 'caller' | 'recalled'>,
  now: number,
  db: Database['db'],
): Ctx {
  if (install) return { vault, addresses, caller, recalled, now, db: { db } }
  const app = appOf(caller)
  return {
    vault,
    addresses,
    caller,
    recalled,
    now,
    app,
    actor: actorOf(caller),
    db: { appId: app.appId, db },
  }
}

function appOf(caller: Caller): AppIdentity {
  if (!caller.app) throw new Error('An operation inside an app was called without one.')
  return caller.app
}

function actorOf(caller: Caller) {
  return 'actor' in caller ? caller.actor : undefined
}

/** To compile a check takes up to 400 ms, in which nobody else is answered: only in tests. */
function checkAnswer({ strictAnswers }: PipelineParts, route: Route, call: Call, answer: unknown) {
  if (!strictAnswers || answer instanceof Lines) return
  const printed = answer instanceof RawJson
  const objection = route.validation.objectionToAnswer(printed ? JSON.parse(answer.text) : answer)
  if (objection !== undefined) throw new Error(`${call.name} broke its contract: ${objection}`)
}
