import { randomInt } from 'node:crypto'
import type { ApiKey, App, app, apps, Region } from '@chorale/contract/apps'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import { paginationOf } from '../../database/keyset.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { appIdsWith } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, InstallHandlers } from '../../pipeline/handler.ts'
import { PlainError } from '../../plain-error.ts'
import type { Vault } from '../../vault/vault.ts'
import {
  type AppRow,
  appExists,
  archiveApp,
  insertApp,
  type ListedApp,
  listApps,
} from './apps.sql.ts'
import { listKeysOf, makeApiKey } from './keys/api-keys.ts'

const daysUntilDeletion = 30

/** What a module to the right puts into every new app: the default role, the system user. */
export type AppSeed = (db: AppDb, now: number) => Promise<void>

export function appsHandlers(seeds: readonly AppSeed[]): InstallHandlers<typeof apps> {
  return {
    async createApp({ body }, { db, vault, now }) {
      const { row, keys } = await createApp(db, vault, seeds, body, now)
      return { data: shownApp(row, Object.values(keys)) }
    },

    async listApps({ query }, { db, vault, caller }) {
      const appIds = appIdsWith(caller, 'secrets.read')
      const { rows, total } = await listApps(db, { ...query, ...(appIds && { appIds }) })
      const data: App[] = []
      for (const row of rows) {
        data.push(shownApp(row, await listKeysOf({ ...db, appId: row.appId }, vault)))
      }
      return { data, meta: { pagination: paginationOf(query, rows.length, total) } }
    },
  }
}

export const appHandlers: Handlers<typeof app> = {
  async deleteApp(_, { db, outbox, now }) {
    const scheduledToDeleteAt = await archiveAppNow({ db, outbox, now })
    if (scheduledToDeleteAt === undefined) {
      throw new Failure('ERR_APP_NOT_FOUND', { appId: db.appId })
    }
    return { data: { success: true, scheduledToDeleteAt } }
  },
}

/** When it will be gone; undefined when there is no such app, or it is archived already. */
export async function archiveAppNow({
  db,
  outbox,
  now,
}: AppTransaction): Promise<number | undefined> {
  const deleteAt = now + daysUntilDeletion * 86_400
  if (!(await archiveApp(db, now, deleteAt))) return undefined
  await outbox.append('app.archived', { deleteAt })
  return deleteAt
}

export async function listAllApps(db: InstallDb): Promise<ListedApp[]> {
  return (await listApps(db, { page: 1, perPage: 10_000 })).rows
}

interface WantedApp {
  readonly name: string
  readonly region: Region
  /** Of an app that moves here: its clients go on with what they have. */
  readonly identity?: {
    readonly appId?: string
    readonly fullAccess?: string
    readonly authOnly?: string
  }
}

export async function createApp(
  install: InstallDb,
  vault: Vault,
  seeds: readonly AppSeed[],
  { name, region, identity = {} }: WantedApp,
  now: number,
): Promise<{ row: AppRow; keys: { fullAccess: ApiKey; authOnly: ApiKey } }> {
  const { appId: given } = identity
  if (given !== undefined && (await appExists({ ...install, appId: given }))) {
    throw new PlainError(`There is an app ${given} already.`)
  }
  const row = { appId: given ?? newAppId(), name, region, createdAt: now }
  await insertApp(install, row)
  const db = { ...install, appId: row.appId }
  for (const seed of seeds) await seed(db, now)
  const createdBy = 'app_system'
  const fullAccess = { name: 'Rest API Key', scope: 'fullAccess', createdBy } as const
  const authOnly = { name: 'Auth Key', scope: 'authOnly', createdBy } as const
  return {
    row,
    keys: {
      fullAccess: await makeApiKey(db, vault, fullAccess, now, identity.fullAccess),
      authOnly: await makeApiKey(db, vault, authOnly, now, identity.authOnly),
    },
  }
}

const regionNames: Readonly<Record<Region, string>> = {
  us: 'United States',
  eu: 'Europe',
  in: 'India',
}

/** A self-hosted app has no plan and no account; the interface has fields for them all the same. */
function shownApp(row: AppRow, keys: readonly ApiKey[]): App {
  const { appId, name, region, createdAt } = row
  return {
    id: appId,
    name,
    region,
    createdAt,
    plan: 'self-hosted',
    state: 'active',
    owner: 0,
    appOwner: { id: '0', name: 'Operator', email: '' },
    appRegion: { id: region, name: regionNames[region], description: '' },
    apiKeys: Object.fromEntries(keys.map((key) => [key.apiKey, key])),
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const lettersAndDigits = `${letters}0123456789`

/** 12 characters that fit a host name: short in every key, and unique over all installs. */
function newAppId(): string {
  const rest = Array.from({ length: 11 }, () => pick(lettersAndDigits))
  return pick(letters) + rest.join('')
}

function pick(from: string): string {
  return from.charAt(randomInt(from.length))
}
