import { LRUCache } from 'lru-cache'
import type { AppDb } from '../database/app-db.ts'
import { keyOf, type Storage } from './storage.ts'

/** A file as an entry of the log names it. */
interface NamedFile {
  readonly id: string
  /** Absent: that of the install. */
  readonly store?: number
}

/** The objects of a file do not change; which of them is shown may. */
interface PrintedFile extends NamedFile {
  readonly about?: { readonly part: string }
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
  /** What `print` makes of a text with the addresses of its files; not again while those are valid. */
  printed(appId: string, text: string, files: readonly PrintedFile[], print: () => string): string
}

interface AddressOptions {
  readonly storeOf: (db: AppDb, storeId: number | null) => Promise<Storage | undefined>
  /** Unix seconds. */
  readonly clock: () => number
  /** How long an address is valid at most. */
  readonly seconds: number
}

interface Opened {
  readonly storage: Storage
  /** Another one once it has other keys. */
  readonly number: number
}

/** Of one process. */
const maxStores = 10_000
const storesMs = 60_000
/** In characters: an entry with a picture has about 2,000. */
const maxPrinted = 10_000_000

export function openFileAddresses({ storeOf, clock, seconds }: AddressOptions): FileAddresses {
  // An app may give its bucket new keys.
  const known = new LRUCache<string, Opened>({ max: maxStores, ttl: storesMs })
  const nameOf = (appId: string, store: number | undefined) =>
    store === undefined ? '' : `${appId} ${store}`
  const numbers = new WeakMap<Storage, number>()
  let lastNumber = 0
  const numberOf = (storage: Storage): number => {
    const number = numbers.get(storage) ?? ++lastNumber
    numbers.set(storage, number)
    return number
  }
  // The address of a file stays the same for half of its time.
  const window = Math.ceil(seconds / 2)
  const windowStart = () => Math.floor(clock() / window) * window
  // Pages show the same files again and again.
  const texts = new LRUCache<string, string>({
    maxSize: maxPrinted,
    sizeCalculation: (printed, key) => printed.length + key.length,
  })
  return {
    async prepare(db, files) {
      for (const { store } of files) {
        const name = nameOf(db.appId, store)
        if (known.has(name)) continue
        const storage = await storeOf(db, store ?? null)
        if (storage) known.set(name, { storage, number: numberOf(storage) })
      }
    },
    of(appId, file, { name, type, part }) {
      const opened = known.get(nameOf(appId, file.store))
      if (!opened) return undefined
      const signedAt = windowStart()
      const shown = { name, type, signedAt, expiresAt: signedAt + 2 * window }
      return opened.storage.address(keyOf(appId, file.id, part), shown)
    },
    printed(appId, text, files, print) {
      let key = `${windowStart()} ${appId}`
      for (const { id, store, about } of files) {
        const opened = known.get(nameOf(appId, store))
        key += ` ${opened?.number} ${id} ${about?.part}`
      }
      key += text
      const before = texts.get(key)
      if (before !== undefined) return before
      const printed = print()
      texts.set(key, printed)
      return printed
    },
  }
}
