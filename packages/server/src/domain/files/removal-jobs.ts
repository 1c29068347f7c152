import type { AppDb, InstallDb } from '../../database/app-db.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { Transactions } from '../../outbox/unit-of-work.ts'
import { keyOf, prefixOf, type Storage } from '../../storage/storage.ts'
import { lockFile } from './files.sql.ts'
import {
  endRemoval,
  type FileRemovalJob,
  fileRemovalQueue,
  forgetFile,
  isNamed,
} from './removals.sql.ts'
import type { FileStores } from './store.ts'

interface RemovalParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly stores: FileStores
}

const leaseMs = 60_000

/** Removes files that no message names: those that were, and those that never were. */
export function fileRemovalJobs(parts: RemovalParts): Jobs<FileRemovalJob> {
  const { database, transactions, stores } = parts
  return {
    queue: fileRemovalQueue,
    limits: { leaseMs },
    async run(job) {
      const { appId, fileId } = job
      const isKept = await transactions.inApp(appId, async ({ db }) => {
        const file = await lockFile(db, fileId)
        if (file && (await isNamed(db, fileId))) {
          await endRemoval(db.db, job)
          return true
        }
        // From here on no message can name it; if this process dies, the next one goes on.
        await forgetFile(db, fileId)
        return false
      })
      if (isKept) return 'kept'
      const storage = await stores.of({ appId, db: database.db }, job.storeId)
      if (storage) await removeObjects(storage, job)
      await endRemoval(database.db, job)
      return 'removed'
    },
  }
}

/** The file, and what was made of it. */
async function removeObjects(storage: Storage, job: FileRemovalJob): Promise<void> {
  const { appId, fileId, partsId } = job
  if (partsId !== null) await storage.dropParts(keyOf(appId, fileId), partsId)
  for await (const { key } of storage.list(prefixOf(appId, fileId))) await storage.remove(key)
}

/** Of an app that is erased: every object in every store that it has, for about so long. True: there are more. */
export function removeFilesOfApp(stores: FileStores) {
  return async (inApp: AppDb, forMs: number): Promise<boolean> => {
    const endsAt = performance.now() + forMs
    for (const storage of await stores.all(inApp)) {
      for await (const { key } of storage.list(`${inApp.appId}/`)) {
        await storage.remove(key)
        if (performance.now() > endsAt) return true
      }
    }
    return false
  }
}
