import type { Db } from '../../database/app-db.ts'
import { type Loader, openLoader } from '../../database/loader.ts'
import type { Actor, AppIdentity, Credentials, Identify } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import { mask } from '../../vault/mask.ts'
import { sameHash, type Vault } from '../../vault/vault.ts'
import { keyPlace } from './api-keys.ts'
import {
  type ActorQuestion,
  type ActorRow,
  type AppAndKey,
  actorQuestionName,
  findActors,
  findAppsAndKeys,
  findManagementKey,
  type KeyQuestion,
  keyQuestionName,
} from './identify.sql.ts'
import { secretPlace } from './management-keys.ts'

interface Questions {
  readonly app: Loader<KeyQuestion, AppAndKey>
  readonly actor: Loader<ActorQuestion, ActorRow>
}

const atOnce = { concurrency: 2, mostPerBatch: 100 }

/**
 * Headers become a caller: the app and its key, or the install's management key. Every call asks,
 * so the calls of one moment ask together; nothing is remembered, so a revoked key is refused at once.
 */
export function identifyWith(db: Db, vault: Vault): Identify {
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
  }
  return async (credentials, operation, params) => {
    if (operation.requires === 'management') {
      const name = await checkManagementKey(db, vault, credentials)
      const appId = typeof params.appId === 'string' ? params.appId.toLowerCase() : undefined
      const app = appId === undefined ? undefined : await managedApp(ask, appId)
      return { kind: 'management', name, app }
    }
    const { app, ...key } = await checkApiKey(ask, vault, credentials)
    const actor =
      operation.onBehalfOf && credentials.onBehalfOf
        ? await loadActor(ask, app.appId, credentials.onBehalfOf)
        : undefined
    return { kind: 'key', app, ...key, actor }
  }
}

async function checkApiKey(ask: Questions, vault: Vault, { appId, region, apiKey }: Credentials) {
  if (!appId) throw new Failure('AUTH_ERR_EMPTY_APPID')
  const keyHash = apiKey ? vault.hash(apiKey, keyPlace(appId)) : null
  const found = storable(appId) ? await ask.app.load({ appId, keyHash }) : undefined
  if (!found || (region && region !== found.region)) {
    throw new Failure('AUTH_ERR_INVALID_APPID', { appId })
  }
  if (!apiKey || !keyHash) throw new Failure('AUTH_ERR_EMPTY_APIKEY')
  if (!found.key) throw new Failure('AUTH_ERR_APIKEY_NOT_FOUND', { apiKey: mask(apiKey) })
  const app: AppIdentity = { appId, region: found.region, settings: found.settings }
  return { app, keyHash, ...found.key }
}

async function checkManagementKey(db: Db, vault: Vault, credentials: Credentials): Promise<string> {
  const { managementKey, managementSecret } = credentials
  if (!managementKey || !managementSecret) throw new Failure('AUTH_ERR_EMPTY_AUTH_HEADER')
  const found = await findManagementKey({ db }, managementKey)
  // Hashed before it is known whether the key exists: both answers take the same time.
  const hash = vault.hash(managementSecret, secretPlace(managementKey))
  if (!found || !sameHash(hash, found.secretHash)) {
    throw new Failure('AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND')
  }
  return found.name
}

async function managedApp(ask: Questions, appId: string): Promise<AppIdentity> {
  const found = storable(appId) ? await ask.app.load({ appId, keyHash: null }) : undefined
  if (!found) throw new Failure('ERR_APP_NOT_FOUND', { appId })
  return { appId, region: found.region, settings: found.settings }
}

async function loadActor(ask: Questions, appId: string, uid: string): Promise<Actor> {
  const found = storable(uid) ? await ask.actor.load({ appId, uid }) : undefined
  if (!found) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  return { ...found, roleSettings: found.roleSettings ?? {} }
}

/** Identifiers of ours are plain; anything else cannot exist and need not be looked for. */
function storable(id: string): boolean {
  return /^[a-z0-9_-]{1,100}$/.test(id)
}
