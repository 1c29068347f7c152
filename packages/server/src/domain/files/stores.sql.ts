import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

/** A bucket that an app has named. */
export interface StoreRow {
  readonly storeId: number
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly prefix: string
  readonly style: 'path' | 'host'
  readonly uploads: 'post' | 'put'
  readonly publicUrl: string | null
  readonly accessKeyId: string
  readonly secretEncrypted: Buffer
  readonly createdAt: number
}

const columns = sql`
  store_id as "storeId", endpoint, region, bucket, prefix, style, uploads, public_url as "publicUrl",
  access_key_id as "accessKeyId", secret_encrypted as "secretEncrypted", created_at as "createdAt"`

export async function findStore({ appId, db }: AppDb, storeId: number) {
  const { rows } = await sql<StoreRow>`
    select ${columns} from file_stores
    where app_id = ${appId} and store_id = ${storeId}`.execute(db)
  return rows[0]
}

/** Where new files of the app go. */
export async function findCurrentStore({ appId, db }: AppDb) {
  const { rows } = await sql<StoreRow>`
    select ${columns} from file_stores where app_id = ${appId} and is_current`.execute(db)
  return rows[0]
}

export async function listStores({ appId, db }: AppDb): Promise<StoreRow[]> {
  const { rows } = await sql<StoreRow>`
    select ${columns} from file_stores where app_id = ${appId} order by store_id`.execute(db)
  return rows
}

export type NewStore = Omit<StoreRow, 'storeId' | 'secretEncrypted'>

/** From now on new files go there. The same bucket keeps its row, and with it the files that are in it. */
export async function insertStore({ appId, db }: AppDb, store: NewStore): Promise<number> {
  const { endpoint, region, bucket, prefix, style, uploads, publicUrl, accessKeyId } = store
  await retireStore({ appId, db })
  const { rows: same } = await sql<{ storeId: number }>`
    update file_stores
    set region = ${region}, style = ${style}, uploads = ${uploads}, public_url = ${publicUrl},
      access_key_id = ${accessKeyId}, created_at = ${store.createdAt}, is_current = true
    where app_id = ${appId} and store_id = (
      select max(store_id) from file_stores
      where app_id = ${appId} and endpoint = ${endpoint} and bucket = ${bucket}
        and prefix = ${prefix})
    returning store_id as "storeId"`.execute(db)
  const [known] = same
  if (known) return known.storeId
  const { rows } = await sql<{ storeId: number }>`
    insert into file_stores (app_id, endpoint, region, bucket, prefix, style, uploads, public_url,
                             access_key_id, secret_encrypted, created_at, is_current)
    values (${appId}, ${endpoint}, ${region}, ${bucket}, ${prefix}, ${style}, ${uploads},
            ${publicUrl}, ${accessKeyId}, '', ${store.createdAt}, true)
    returning store_id as "storeId"`.execute(db)
  const [made] = rows
  if (!made) throw new Error('A store was not inserted.')
  return made.storeId
}

export async function sealStore({ appId, db }: AppDb, storeId: number, secret: Buffer) {
  await sql`
    update file_stores set secret_encrypted = ${secret}
    where app_id = ${appId} and store_id = ${storeId}`.execute(db)
}

/** False: there was none. */
export async function retireStore({ appId, db }: AppDb): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update file_stores set is_current = false where app_id = ${appId} and is_current`.execute(db)
  return numAffectedRows === 1n
}
