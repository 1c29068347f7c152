import type { InstallDb } from '../../database/app-db.ts'
import { fileOfKey, type Storage, type StoredObject } from '../../storage/storage.ts'
import { knownFiles } from './removals.sql.ts'

interface OrphanOptions {
  readonly database: InstallDb
  readonly storage: Storage
  /** Of an app or, empty, of all. */
  readonly prefix: string
  /** Unix seconds. What is younger may belong to an upload of this moment. */
  readonly before: number
  readonly remove: boolean
}

export interface Orphans {
  readonly looked: number
  readonly found: number
  readonly bytes: number
}

const atOnce = 1000
const removedAtOnce = 20

/** Objects of files that the database does not know. Objects that are not of files are left alone. */
export async function findOrphans(options: OrphanOptions): Promise<Orphans> {
  const { storage, prefix, before } = options
  const total = { looked: 0, found: 0, bytes: 0 }
  let page: StoredObject[] = []
  const removeUnknown = async () => {
    const orphans = await unknownAmong(options.database, page)
    page = []
    total.found += orphans.length
    total.bytes += orphans.reduce((sum, { size }) => sum + size, 0)
    if (options.remove) await removeAll(storage, orphans)
  }
  for await (const object of storage.list(prefix)) {
    total.looked++
    if (object.modifiedAt < before) page.push(object)
    if (page.length === atOnce) await removeUnknown()
  }
  await removeUnknown()
  return total
}

async function unknownAmong(
  { db }: InstallDb,
  objects: readonly StoredObject[],
): Promise<StoredObject[]> {
  const ofFiles = objects.flatMap((object) => {
    const file = fileOfKey(object.key)
    return file ? [{ object, ...file }] : []
  })
  const unknown: StoredObject[] = []
  for (const [appId, ofApp] of Map.groupBy(ofFiles, (one) => one.appId)) {
    const ids = [...new Set(ofApp.map(({ fileId }) => fileId))]
    const known = await knownFiles({ appId, db }, ids)
    unknown.push(...ofApp.filter(({ fileId }) => !known.has(fileId)).map(({ object }) => object))
  }
  return unknown
}

async function removeAll(storage: Storage, objects: readonly StoredObject[]): Promise<void> {
  for (let from = 0; from < objects.length; from += removedAtOnce) {
    const some = objects.slice(from, from + removedAtOnce)
    await Promise.all(some.map(({ key }) => storage.remove(key)))
  }
}
