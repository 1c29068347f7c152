import type { OperationName } from '@chorale/contract/api'
import { handlersWith } from '../../api.ts'
import { openEventFeed } from '../../bus/event-feed.ts'
import { type Config, ConfigError } from '../../config.ts'
import { openIdentities, type SignIn } from '../../domain/apps/index.ts'
import { openFormFiles } from '../../domain/files/forms/index.ts'
import { openAppendBatcher } from '../../domain/log/index.ts'
import { appendAdditions, openDirectory, openTargets } from '../../domain/messages/send/index.ts'
import type { PushTesting } from '../../domain/notifications/index.ts'
import { openJwtSignIn, openKeySets } from '../../domain/users/issuers/index.ts'
import { openProfileLoader, type ProfileLoader } from '../../domain/views/index.ts'
import { openGates } from '../../domain/webhooks/index.ts'
import type { FormFiles } from '../../http/files-form.ts'
import type { SignIn as ConsoleSignIn } from '../../http/sign-in.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { type AddressLimits, openAddressLimits } from '../../pipeline/address-limits.ts'
import type { Identify } from '../../pipeline/caller.ts'
import { openInFlight } from '../../pipeline/in-flight.ts'
import { openPipeline, type Pipeline } from '../../pipeline/pipeline.ts'
import type { RateLimit } from '../../pipeline/rate-limit.ts'
import { openPasswords } from '../../vault/passwords.ts'
import { type ClientAddress, openClientAddress } from '../../web/client-address.ts'
import { openBudgets } from '../budgets.ts'
import { urlRulesOf } from '../configured-egress.ts'
import { openConfiguredSignIn, sessionRulesOf } from '../configured-sign-in.ts'
import { openOperating } from '../operating.ts'
import { openPushLines } from '../push-lines.ts'
import type { Core } from './core.ts'

/** What handles calls: of the API, and of devices at the gateway. A process with both has one. */
export interface Calls extends AsyncDisposable {
  readonly pipeline: Pipeline
  readonly identify: Identify
  readonly people: (appId: string) => ProfileLoader
  readonly rateLimit: RateLimit
  readonly limits: AddressLimits
  readonly clientAddress: ClientAddress
  readonly forms: FormFiles
  /** Undefined: there is no console. */
  readonly signIn: ConsoleSignIn | undefined
}

/** They check in their own statement what was remembered of the caller. */
const recalling: ReadonlySet<OperationName> = new Set([
  'sendMessage',
  'listUserMessages',
  'listGroupMessages',
])

export interface CallsOptions {
  /** A handler that breaks its contract fails the call: in tests. */
  readonly strictAnswers?: boolean
  /** Validators are compiled with the first call that needs them: in tests. */
  readonly lazyValidation?: boolean
}

export async function openCalls(
  core: Core,
  { strictAnswers = false, lazyValidation = false }: CallsOptions = {},
): Promise<Calls> {
  const { config, log, clock, foreground, background, vault, onCommit, compiler, checkRules } = core
  await using stack = new AsyncDisposableStack()
  const clientAddress = configuredClientAddress(config)
  const inspector = openGates({
    db: background.db,
    egress: core.egress,
    vault,
    log,
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    concurrency: config.EGRESS_CONCURRENCY,
  })
  const sessions = sessionRulesOf(config)
  const byJwt = signInWith(core)
  const { identify, recall } = openIdentities(foreground.db, vault, clock, byJwt, sessions)
  const passwords = openPasswords(config.PASSWORD_CONCURRENCY)
  const people = openProfileLoader(foreground.db)
  const rateLimit = stack.use(openBudgets(core.publishes ? core.signals : undefined))
  const limits = openAddressLimits({ refusals: config.AUTH_REFUSALS_PER_MINUTE })
  const batcher = batcherWith(core)
  const pipeline = openPipeline({
    limits,
    database: foreground,
    vault,
    identify,
    recall,
    recalling,
    rateLimit,
    inFlight: openInFlight(config.CALLS_PER_USER, core.activeApps),
    handlers: handlersWith(
      {
        db: foreground.db,
        ...openDirectory(openTargets(foreground.db), people),
        batcher,
        inspector,
        checkRules,
      },
      openEventFeed(core.stream, core.epochs, log),
      passwords,
      {
        secretsAre: config.PUSH_SETTINGS_SECRETS,
        urlRules: urlRulesOf(config),
        compiler,
        sessions,
        operating: openOperating(core),
        pushTesting: pushTestingWith(core, stack),
        files: core.files,
      },
    ),
    addresses: core.files.addresses,
    strictAnswers,
    lazyValidation,
    clock,
    onCommit,
  })
  core.health.require('database', () => foreground.ping())
  const owned = stack.move()
  return {
    pipeline,
    identify,
    people,
    rateLimit,
    limits,
    clientAddress,
    forms: formsWith(core),
    signIn: openConfiguredSignIn(core, passwords, limits),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function batcherWith({ foreground, clock, onCommit, tracer, processes }: Core) {
  const options = { onCommit, additions: appendAdditions, tracer, processes }
  return openAppendBatcher(foreground.db, clock, options)
}

function pushTestingWith(core: Core, stack: AsyncDisposableStack): PushTesting {
  let lines: ReturnType<typeof openPushLines> | undefined
  stack.defer(() => lines?.[Symbol.dispose]())
  return {
    lines: () => (lines ??= openPushLines(core)),
    timeoutMs: core.config.PUSH_TIMEOUT_MS,
  }
}

function formsWith({ files, foreground, onCommit, clock }: Core): FormFiles {
  return openFormFiles({
    ...files,
    dbOf: (appId) => ({ appId, db: foreground.of(appId).db }),
    transactions: (appId) =>
      openTransactions({ begin: foreground.of(appId).transaction, onCommit, clock }),
    clock,
  })
}

/** For devices that show a JWT. */
function signInWith({ foreground, onCommit, clock, vault, egress, log }: Core): SignIn {
  return openJwtSignIn({
    dbOf: (appId) => ({ appId, db: foreground.of(appId).db }),
    transactions: (appId) =>
      openTransactions({ begin: foreground.of(appId).transaction, onCommit, clock }),
    vault,
    clock,
    keySets: openKeySets({
      egress,
      onFailure: ({ appId, issuerId }, reason) =>
        log.warn({ appId, issuerId, reason }, 'could not fetch the keys of an issuer of JWTs'),
    }),
  })
}

function configuredClientAddress({ TRUST_PROXY }: Config): ClientAddress {
  try {
    return openClientAddress(TRUST_PROXY)
  } catch (error) {
    throw new ConfigError(String(error))
  }
}
