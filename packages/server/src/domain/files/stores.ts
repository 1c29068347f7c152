import { LRUCache } from 'lru-cache'
import type { AppDb } from '../../database/app-db.ts'
import type { Bucket } from '../../storage/s3.ts'
import type { Storage } from '../../storage/storage.ts'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import type { FileStores } from './store.ts'
import { findCurrentStore, findStore, listStores, type StoreRow } from './stores.sql.ts'

interface StoreParts {
  /** Of the install; undefined: it has none. */
  readonly install: Storage | undefined
  readonly vault: Vault
  /** Opens a bucket that an app has named. */
  readonly open: (bucket: Bucket) => Promise<Storage>
}

/** Stores of apps that a process keeps open. */
const max = 1000
const storesMs = 60_000

export function openFileStores({ install, vault, open }: StoreParts): FileStores {
  // An app may give its bucket new keys; another bucket is another row.
  const opened = new LRUCache<string, Promise<Storage>>({ max, ttl: storesMs })
  const storeOf = ({ appId }: AppDb, row: StoreRow): Promise<Storage> => {
    const name = `${appId} ${row.storeId}`
    const known = opened.get(name) ?? open(bucketOf(vault, appId, row))
    opened.set(name, known)
    known.catch(() => opened.delete(name))
    return known
  }
  return {
    async current(db) {
      const row = await findCurrentStore(db)
      if (row) return { storeId: row.storeId, storage: await storeOf(db, row) }
      return install && { storeId: null, storage: install }
    },
    async of(db, storeId) {
      if (storeId === null) return install
      const known = opened.get(`${db.appId} ${storeId}`)
      if (known) return known
      const row = await findStore(db, storeId)
      return row && storeOf(db, row)
    },
    open,
    async all(db) {
      const rows = await listStores(db)
      const own = await Promise.all(rows.map((row) => storeOf(db, row)))
      return install ? [install, ...own] : own
    },
  }
}

function bucketOf(vault: Vault, appId: string, row: StoreRow): Bucket {
  const { publicUrl, secretEncrypted, storeId, ...bucket } = row
  const place = placeIn(sealedColumns.fileStoreSecret, appId, String(storeId))
  return {
    ...bucket,
    secretAccessKey: vault.open(secretEncrypted, place),
    ...(publicUrl !== null && { publicUrl }),
  }
}
