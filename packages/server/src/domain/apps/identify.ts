import { getHeapStatistics } from 'node:v8'
import type { Operation, Requires } from '@chorale/contract/operation'
import type { Db } from '../../database/db.ts'
import { type Loader, openLoader } from '../../database/loader.ts'
import { openAppCache } from '../../limits/app-cache.ts'
import { openSharedValues, type Share } from '../../limits/shared-values.ts'
import {
  type Actor,
  type AppIdentity,
  type Caller,
  type Credentials,
  type Identify,
  isNarrowed,
  type Recall,
} from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import { mask } from '../../vault/mask.ts'
import type { Place, Vault } from '../../vault/vault.ts'
import { checkSession, type SessionRules } from './collaborators/index.ts'
import {
  type ActorQuestion,
  type ActorRow,
  type AppAndActor,
  type AppAndKey,
  type AppRow,
  actorQuestionName,
  findActors,
  findAppsAndActors,
  findAppsAndKeys,
  type KeyQuestion,
  keyQuestionName,
  type Standing,
  standingsOf,
  type TokenQuestion,
  tokenQuestionName,
} from './identify.sql.ts'
import { keyPlace } from './keys/api-keys.ts'
import { checkManagementKey } from './keys/management-keys.ts'

interface Questions {
  readonly app: Loader<KeyQuestion, AppAndKey>
  readonly actor: Loader<ActorQuestion, ActorRow>
  readonly token: Loader<TokenQuestion, AppAndActor>
}

const atOnce = { concurrency: 1, maxPerBatch: 200 }

/** Where the auth tokens of an app lie in the vault. */
export function tokenPlace(appId: string): Place {
  return { appId, table: 'auth_tokens', field: 'token' }
}

/** Of the memory that this process may take, so much is for callers who are remembered. */
const shareForCallers = 1 / 64
/** About: what they have in common takes its room once. */
const bytesOfCaller = 400
const maxShared = 10_000
const maxJwtLength = 8192
const jwtForm = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/

/** Verifies a JWT that is not among the auth tokens, and keeps it there; throws why it is refused. */
export type SignIn = (jwt: {
  readonly appId: string
  readonly token: string
  readonly tokenHash: Buffer
}) => Promise<void>

/**
 * Headers become a caller: the app and its key, a user of the app on a device, or the install's
 * management key. Calls of one moment ask together. What was found is remembered for those operations
 * which check in their statement that it still holds; all others ask, so that a revoked key or token
 * is refused at once.
 */
export function openIdentities(
  db: Db,
  vault: Vault,
  clock: () => number,
  signIn: SignIn,
  sessions: SessionRules,
): { readonly identify: Identify; readonly recall: Recall } {
  const ask: Questions = {
    app: openLoader({
      ...atOnce,
      fetch: (questions) => findAppsAndKeys(db, questions),
      nameOf: keyQuestionName,
    }),
    actor: openLoader({
      ...atOnce,
      fetch: (questions) => findActors(db, questions),
      nameOf: actorQuestionName,
    }),
    token: openLoader({
      ...atOnce,
      fetch: (questions) => findAppsAndActors(db, questions),
      nameOf: tokenQuestionName,
    }),
  }
  const maxBytes = getHeapStatistics().heap_size_limit * shareForCallers
  const remembered = openAppCache<Caller>(maxBytes, () => bytesOfCaller)
  const share = openSharedValues(maxShared)
  return {
    async identify(credentials, operation, params) {
      const name = nameOf(vault, credentials, operation)
      try {
        const caller = await lookUp(
          { ask, db, vault, signIn, sessions, now: clock() },
          credentials,
          operation,
          params,
        )
        if (name) remembered.set(name.appId, name.key, withShared(caller, share))
        return caller
      } catch (error) {
        if (name) remembered.delete(name.appId, name.key)
        throw error
      }
    },
    recall(credentials, operation) {
      const name = nameOf(vault, credentials, operation)
      const caller = name && remembered.get(name.appId, name.key)
      const { region } = credentials
      if (!caller || (region && region !== caller.app?.region)) return undefined
      const isExpired = caller.kind === 'device' && (caller.expiresAt ?? Infinity) <= clock()
      return isExpired ? undefined : caller
    },
  }
}

/** Of a caller among those who are remembered; undefined: an operator, or nobody who could be known. */
function nameOf(vault: Vault, credentials: Credentials, { requires, onBehalfOf }: Operation) {
  const { appId, apiKey, authToken } = credentials
  if (!appId || requires === 'management') return undefined
  const device = isDevice(credentials, requires)
  const secret = device ? authToken : apiKey
  if (!isSecret(secret)) return undefined
  const hash = vault.hash(secret, device ? tokenPlace(appId) : keyPlace(appId))
  const uid = !device && onBehalfOf ? (credentials.onBehalfOf ?? '') : ''
  return { appId, key: `${hash.toString('latin1')} ${uid}` }
}

interface LookUp {
  readonly ask: Questions
  readonly db: Db
  readonly vault: Vault
  readonly signIn: SignIn
  readonly sessions: SessionRules
  readonly now: number
}

async function lookUp(
  { ask, db, vault, signIn, sessions, now }: LookUp,
  credentials: Credentials,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): Promise<Caller> {
  const { session } = credentials
  if (session !== undefined) {
    const known = isSecret(session) ? session : ''
    const person = await checkSession({ db }, vault, sessions, known, now)
    return { ...person, app: await appOfPerson(ask, person, credentials, operation, params) }
  }
  if (operation.requires === 'session') throw new Failure('AUTH_ERR_SESSION_NOT_FOUND')
  if (operation.requires === 'management') {
    const { managementKey: key, managementSecret: secret } = credentials
    const { name, appIds } = await checkManagementKey({ db }, vault, { key, secret }, now)
    const appId = pathApp(params)
    // First: a key of other apps does not learn whether this one exists.
    if (appIds) requireScope(appIds, operation, appId)
    const app = appId === undefined ? undefined : await managedApp(ask, appId)
    return { kind: 'management', name, app, appIds: appIds ?? undefined }
  }
  if (isDevice(credentials, operation.requires)) {
    return checkAuthToken({ ask, db, vault, signIn, sessions, now }, credentials)
  }
  const { appId, onBehalfOf } = credentials
  // Asked for beside the key, and heard only if that is good.
  const asked =
    operation.onBehalfOf && onBehalfOf && appId ? loadActor(ask, appId, onBehalfOf) : undefined
  asked?.catch(() => undefined)
  const { app, appVersion, ...key } = await checkApiKey(ask, vault, credentials)
  const found = await asked
  // Two statements: the older version stands for both.
  const versions = {
    app: Math.min(appVersion, found?.appVersion ?? appVersion),
    actor: found?.rowVersion,
  }
  return { kind: 'key', app, ...key, actor: found && actorOf(found), versions }
}

/** What the callers of an app have in common takes its room once. */
function withShared(caller: Caller, share: Share): Caller {
  if (!('versions' in caller)) return caller
  const { appId } = caller.app
  const app = share(appId, 'app', caller.app)
  if (caller.kind === 'device')
    return { ...caller, app, actor: sharing(appId, caller.actor, share) }
  const { keyHash, name, scope } = caller
  const keyName = `key ${keyHash.toString('latin1')}`
  const key = share(appId, keyName, { keyHash, name, scope }, `${scope} ${name}`)
  const actor = caller.actor && sharing(appId, caller.actor, share)
  return { ...caller, ...key, app, actor }
}

function sharing(appId: string, { uid, ...role }: Actor, share: Share): Actor {
  return { uid, ...share(appId, `role ${role.role}`, role) }
}

/** For connections that stay open: of each of these devices, what it would be told now. */
export function checkDevicesWith(db: Db, vault: Vault, clock: () => number) {
  return (devices: readonly Credentials[]): Promise<readonly Standing[]> =>
    standingsOf(
      db,
      devices.map(({ appId = '', authToken = '' }) => ({
        appId,
        tokenHash: vault.hash(authToken, tokenPlace(appId)),
      })),
      clock(),
    )
}

/** Whoever shows an API key is a server, whatever else it shows. */
function isDevice({ apiKey, authToken }: Credentials, requires: Requires): boolean {
  return !apiKey && (authToken !== undefined || requires === 'authToken')
}

/** `onBehalfOf` is not looked at: a device speaks for nobody but its user. */
async function checkAuthToken({ ask, vault, signIn, now }: LookUp, credentials: Credentials) {
  const { appId, region, authToken } = credentials
  if (!appId) throw new Failure('AUTH_ERR_EMPTY_APPID')
  const tokenHash = vault.hash(isSecret(authToken) ? authToken : '', tokenPlace(appId))
  let found = storable(appId) ? await ask.token.load({ appId, tokenHash }) : undefined
  if (found && isJwt(authToken) && !isValid(found, now)) {
    await signIn({ appId, token: authToken, tokenHash })
    found = await ask.token.load({ appId, tokenHash })
  }
  if (!found || (region && region !== found.region)) {
    throw new Failure('AUTH_ERR_INVALID_APPID', { appId })
  }
  if (!authToken) throw new Failure('AUTH_ERR_EMPTY_AUTH_TOKEN')
  if (!found.actor) throw new Failure('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
  if (!isValid(found, now)) throw new Failure('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
  const { expiresAt, ...row } = found.actor
  const app = appOf(appId, found)
  const actor = actorOf(row)
  return {
    kind: 'device',
    name: actor.uid,
    app,
    tokenHash,
    expiresAt,
    actor,
    versions: { app: found.appVersion, actor: row.rowVersion },
  } satisfies Caller
}

async function checkApiKey(ask: Questions, vault: Vault, { appId, region, apiKey }: Credentials) {
  if (!appId) throw new Failure('AUTH_ERR_EMPTY_APPID')
  const keyHash = isSecret(apiKey) ? vault.hash(apiKey, keyPlace(appId)) : null
  const found = storable(appId) ? await ask.app.load({ appId, keyHash }) : undefined
  if (!found || (region && region !== found.region)) {
    throw new Failure('AUTH_ERR_INVALID_APPID', { appId })
  }
  if (!apiKey) throw new Failure('AUTH_ERR_EMPTY_APIKEY')
  if (!keyHash || !found.key)
    throw new Failure('AUTH_ERR_APIKEY_NOT_FOUND', { apiKey: mask(apiKey) })
  const app = appOf(appId, found)
  return { app, appVersion: found.appVersion, keyHash, ...found.key }
}

/** A key of some apps may call what is in them, and list them: nothing that reaches all. */
function requireScope(
  appIds: readonly string[],
  operation: Operation,
  appId: string | undefined,
): void {
  if (appId === undefined ? isNarrowed(operation) : appIds.includes(appId)) return
  const needed =
    appId === undefined ? 'a management key of all apps' : 'a management key of this app'
  throw new Failure('AUTH_ERR_NO_ACCESS', { needed })
}

/** Undefined: the operation is about no app. Who has no role in an app does not learn if it exists. */
async function appOfPerson(
  ask: Questions,
  { role, roles }: Pick<Extract<Caller, { kind: 'collaborator' }>, 'role' | 'roles'>,
  { appId: named }: Credentials,
  { requires }: Operation,
  params: Readonly<Record<string, unknown>>,
): Promise<AppIdentity | undefined> {
  if (requires === 'session') return undefined
  const inPath = requires === 'management'
  const appId = inPath ? pathApp(params) : named
  if (appId === undefined && inPath) return undefined
  if (!appId) throw new Failure('AUTH_ERR_EMPTY_APPID')
  if (role === null && !Object.hasOwn(roles, appId)) {
    throw new Failure('AUTH_ERR_NO_ACCESS', { needed: 'an account with a role in this app' })
  }
  const found = storable(appId) ? await ask.app.load({ appId, keyHash: null }) : undefined
  if (found) return appOf(appId, found)
  throw new Failure(inPath ? 'ERR_APP_NOT_FOUND' : 'AUTH_ERR_INVALID_APPID', { appId })
}

function pathApp({ appId }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof appId === 'string' ? appId.toLowerCase() : undefined
}

async function managedApp(ask: Questions, appId: string): Promise<AppIdentity> {
  const found = storable(appId) ? await ask.app.load({ appId, keyHash: null }) : undefined
  if (!found) throw new Failure('ERR_APP_NOT_FOUND', { appId })
  return appOf(appId, found)
}

async function loadActor(ask: Questions, appId: string, uid: string): Promise<ActorRow> {
  const found = storable(uid) ? await ask.actor.load({ appId, uid }) : undefined
  if (!found) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  return found
}

function appOf(appId: string, row: AppRow): AppIdentity {
  const { region, settings, moderationVersion, gated, held } = row
  return { appId, region, settings, moderationVersion, gated, held }
}

function actorOf(row: Omit<ActorRow, 'rowVersion' | 'appVersion'>): Actor {
  const { uid, role, roleSettings, permissions, restrictedFeatures } = row
  return { uid, role, roleSettings: roleSettings ?? {}, permissions, restrictedFeatures }
}

/** Whether it could be a key or token of ours. Anything else is not even hashed. */
function isSecret(text: string | undefined): text is string {
  return text !== undefined && (/^[\x21-\x7e]{1,200}$/.test(text) || isJwt(text))
}

/** Whether it has the form of one, which no auth token has: a header as JSON, two dots. */
function isJwt(text: string | undefined): text is string {
  return text !== undefined && text.length <= maxJwtLength && jwtForm.test(text)
}

function isValid({ actor }: AppAndActor, now: number): boolean {
  return actor !== null && (actor.expiresAt === null || actor.expiresAt > now)
}

/** Identifiers of ours are plain; anything else cannot exist and need not be looked for. */
function storable(id: string): boolean {
  return /^[a-z0-9_-]{1,100}$/.test(id)
}
