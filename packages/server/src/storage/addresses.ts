import { LRUCache } from 'lru-cache'
import type { AppDb } from '../database/app-db.ts'
import { keyOf, type Storage } from './storage.ts'

/** A file as an entry of the log names it. */
interface NamedFile {
  readonly id: string
  /** Absent: that of the install. */
  readonly store?: number
}

/** As what an object of a file is shown. */
interface ShownAs {
  readonly name: string
  readonly type: string
  /** Which object of the file; absent: as it was brought. */
  readonly part?: string | undefined
}

/** Makes the addresses by which files are read: for whoever may see the message that names them. */
export interface FileAddresses {
  /** The stores of these files are known afterwards. */
  prepare(db: AppDb, files: readonly NamedFile[]): Promise<void>
  /** Undefined: its store is not known. */
  of(appId: string, file: NamedFile, shown: ShownAs): string | undefined
}

interface AddressOptions {
  readonly storeOf: (db: AppDb, storeId: number | null) => Promise<Storage | undefined>
  /** Unix seconds. */
  readonly clock: () => number
  /** How long an address is valid at most. */
  readonly seconds: number
}

/** Of one process. */
const maxStores = 10_000
const storesMs = 60_000
/** A picture has four. */
const maxAddresses = 20_000

export function openFileAddresses({ storeOf, clock, seconds }: AddressOptions): FileAddresses {
  // An app may give its bucket new keys.
  const known = new LRUCache<string, Storage>({ max: maxStores, ttl: storesMs })
  const nameOf = (appId: string, store: number | undefined) =>
    store === undefined ? '' : `${appId} ${store}`
  const window = Math.ceil(seconds / 2)
  // Pages show the same files again and again, and an address stays the same for a while.
  const made = new LRUCache<string, { readonly storage: Storage; readonly address: string }>({
    max: maxAddresses,
  })
  return {
    async prepare(db, files) {
      for (const { store } of files) {
        const name = nameOf(db.appId, store)
        if (known.has(name)) continue
        const storage = await storeOf(db, store ?? null)
        if (storage) known.set(name, storage)
      }
    },
    of(appId, file, { name, type, part }) {
      const storage = known.get(nameOf(appId, file.store))
      // The address of a file stays the same for half of its time.
      const signedAt = Math.floor(clock() / window) * window
      if (!storage) return undefined
      const key = keyOf(appId, file.id, part)
      const asked = `${signedAt} ${key} ${type} ${name}`
      const before = made.get(asked)
      if (before?.storage === storage) return before.address
      const shown = { name, type, signedAt, expiresAt: signedAt + 2 * window }
      const address = storage.address(key, shown)
      made.set(asked, { storage, address })
      return address
    },
  }
}
