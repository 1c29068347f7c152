import type { SessionStorage } from './session/storage.ts'

const store = 'kept'

/** Keeps it in IndexedDB. Each user of the browser needs a name of their own. */
export function indexedDbStorage(name: string): SessionStorage {
  let opened: Promise<IDBDatabase> | undefined

  async function run<T>(
    mode: IDBTransactionMode,
    work: (objects: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    opened ??= open(name)
    const transaction = (await opened).transaction(store, mode)
    return settled(work(transaction.objectStore(store)))
  }

  return {
    async entries() {
      const [keys, values] = await Promise.all([
        run('readonly', (objects) => objects.getAllKeys()),
        run('readonly', (objects) => objects.getAll()),
      ])
      return keys.map((key, n) => [String(key), values[n]] as const)
    },
    async set(key, value) {
      await run('readwrite', (objects) => objects.put(value, key))
    },
    async delete(key) {
      await run('readwrite', (objects) => objects.delete(key))
    },
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(store)
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
