import { randomBytes } from 'node:crypto'
import type { ApiKey, ApiKeyScope, apiKeys } from '@chorale/contract/apps'
import type { AppDb } from '../../../database/app-db.ts'
import { paginationOf } from '../../../database/keyset.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { mask } from '../../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import { type Place, sameHash, type Vault } from '../../../vault/vault.ts'
import { lockApp } from '../apps.sql.ts'
import {
  type ApiKeyRow,
  countApiKeys,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  isKeyNameTaken,
  listApiKeys,
  updateApiKey,
} from './api-keys.sql.ts'

const maxKeys = 25

export function keyPlace(appId: string): Place {
  return { appId, table: 'api_keys', field: 'key' }
}

export const apiKeyHandlers: Handlers<typeof apiKeys> = {
  async createApiKey({ body }, ctx) {
    await lockApp(ctx.db)
    await requireFreeName(ctx, body.name)
    if ((await countApiKeys(ctx.db, {})) >= maxKeys) {
      throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxKeys, what: 'API keys' })
    }
    return {
      data: await makeApiKey(ctx.db, ctx.vault, { ...body, createdBy: ctx.caller.name }, ctx.now),
    }
  },

  async listApiKeys({ query }, ctx) {
    const rows = await listApiKeys(ctx.db, query)
    const total = await countApiKeys(ctx.db, query)
    return {
      data: rows.map((row) => shown(row, ctx)),
      meta: { pagination: paginationOf(query, rows.length, total) },
    }
  },

  async getApiKey({ params }, ctx) {
    const row = await findApiKey(ctx.db, hashOf(params.apiKey, ctx))
    if (!row) throw notFound(params.apiKey)
    return { data: shown(row, ctx) }
  },

  async updateApiKey({ params, body }, ctx) {
    const hash = othersHash(params.apiKey, ctx)
    if (body.name !== undefined) {
      await lockApp(ctx.db)
      await requireFreeName(ctx, body.name, hash)
    }
    const row = await updateApiKey(ctx.db, hash, body)
    if (!row) throw notFound(params.apiKey)
    return { data: shown(row, ctx) }
  },

  async deleteApiKey({ params }, ctx) {
    const deleted = await deleteApiKey(ctx.db, othersHash(params.apiKey, ctx))
    if (!deleted) throw notFound(params.apiKey)
    return { data: { success: true, message: 'The API key is deleted.' } }
  },
}

async function requireFreeName({ db }: ReadCtx, name: string, of?: Buffer): Promise<void> {
  if (name.trim() === '') throw badRequest('name', 'Use at least one character that can be seen.')
  if (await isKeyNameTaken(db, name, of)) {
    throw badRequest('name', `Another key is called ${name}.`)
  }
}

/** 40 hex characters, or as given; shown again on request: found by keyed hash, stored encrypted. */
export async function makeApiKey(
  db: AppDb,
  vault: Vault,
  wanted: { name: string; scope: ApiKeyScope; createdBy: string },
  now: number,
  apiKey = randomBytes(20).toString('hex'),
): Promise<ApiKey> {
  const keyHash = vault.hash(apiKey, keyPlace(db.appId))
  await insertApiKey(db, {
    ...wanted,
    keyHash,
    keyEncrypted: vault.seal(apiKey, placeIn(sealedColumns.apiKey, db.appId, keyHash)),
    createdAt: now,
  })
  return { apiKey, ...wanted, createdAt: now }
}

function hashOf(apiKey: string, { db, vault }: ReadCtx): Buffer {
  return vault.hash(apiKey, keyPlace(db.appId))
}

/** A key may not change or delete itself, or an app could lock itself out by accident. */
function othersHash(apiKey: string, ctx: ReadCtx): Buffer {
  const hash = hashOf(apiKey, ctx)
  if (ctx.caller.kind === 'key' && sameHash(hash, ctx.caller.keyHash)) {
    throw new Failure('ERR_APIKEY_NO_SELF_ACTION')
  }
  return hash
}

export async function listKeysOf(db: AppDb, vault: Vault): Promise<ApiKey[]> {
  const rows = await listApiKeys(db, { page: 1, perPage: maxKeys })
  return rows.map((row) => shown(row, { db, vault }))
}

export async function revokeKeyOf(db: AppDb, vault: Vault, apiKey: string): Promise<boolean> {
  return deleteApiKey(db, vault.hash(apiKey, keyPlace(db.appId)))
}

function shown(row: ApiKeyRow, { db, vault }: Pick<ReadCtx, 'db' | 'vault'>): ApiKey {
  const { keyHash, keyEncrypted, ...rest } = row
  const place = placeIn(sealedColumns.apiKey, db.appId, keyHash)
  return { apiKey: vault.open(keyEncrypted, place), ...rest }
}

function notFound(apiKey: string): Failure {
  return new Failure('ERR_APIKEY_NOT_FOUND', { apiKey: mask(apiKey) })
}
