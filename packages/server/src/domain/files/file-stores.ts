import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FileStore, fileStores } from '@chorale/contract/files'
import { v7 as newId } from 'uuid'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { keyOf, type Storage } from '../../storage/storage.ts'
import { mask } from '../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
import type { FileStores } from './store.ts'
import {
  findCurrentStore,
  insertStore,
  type NewStore,
  retireStore,
  type StoreRow,
  sealStore,
} from './stores.sql.ts'

interface FileStoreParts {
  readonly stores: FileStores
  /** What is wrong with an address that an app names. */
  readonly objectionTo: (url: string) => string | undefined
}

export const fileStoreHandlers = (
  parts: FileStoreParts,
): Handlers<typeof fileStores, 'setFileStore'> => ({
  async getFileStore(_, ctx) {
    const row = await findCurrentStore(ctx.db)
    if (!row) throw new Failure('ERR_FILE_STORE_NOT_FOUND')
    return { data: shown(row, openSecret(ctx, row)) }
  },

  setFileStore: {
    async prepare({ body }, before) {
      const { secretAccessKey, publicUrl, bucketName, ...rest } = body
      const bucket = { ...rest, bucket: bucketName }
      for (const url of [bucket.endpoint, ...(publicUrl === undefined ? [] : [publicUrl])]) {
        const objection = parts.objectionTo(url)
        if (objection !== undefined) throw refused(objection)
      }
      const storage = await parts.stores.open({ ...bucket, secretAccessKey })
      await tryOut(storage, before.db.appId)
      const store: NewStore = { ...bucket, publicUrl: publicUrl ?? null, createdAt: before.now }
      return async ({ db, vault }) => {
        const storeId = await insertStore(db, store)
        const place = placeIn(sealedColumns.fileStoreSecret, db.appId, String(storeId))
        await sealStore(db, storeId, vault.seal(secretAccessKey, place))
        return { data: shown(store, secretAccessKey) }
      }
    },
  },

  async deleteFileStore(_, ctx) {
    if (!(await retireStore(ctx.db))) throw new Failure('ERR_FILE_STORE_NOT_FOUND')
    return { data: { success: true, message: 'New files go where those of the install go.' } }
  },
})

/** All that the service will do there. */
async function tryOut(storage: Storage, appId: string): Promise<void> {
  const key = keyOf(appId, newId(), 'trial')
  const content = randomBytes(16).toString('hex')
  try {
    await storage.write(
      { key, size: content.length, type: 'text/plain' },
      Readable.from([Buffer.from(content)]),
    )
    const read = await text(await storage.read(key))
    const listed = await Array.fromAsync(storage.list(key))
    await storage.remove(key)
    if (read !== content || listed.length !== 1) throw new Error('What was written is not there.')
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error))
  }
}

function refused(objection: string): Failure {
  return new Failure('ERR_FILE_STORE_REFUSED', { objection: objection.slice(0, 300) })
}

function openSecret({ db, vault }: ReadCtx, { storeId, secretEncrypted }: StoreRow): string {
  const place = placeIn(sealedColumns.fileStoreSecret, db.appId, String(storeId))
  return vault.open(secretEncrypted, place)
}

function shown(store: NewStore, secret: string): FileStore {
  const { endpoint, region, bucket, prefix, style, uploads, publicUrl, accessKeyId } = store
  return {
    endpoint,
    region,
    bucketName: bucket,
    prefix,
    style,
    uploads,
    ...(publicUrl !== null && { publicUrl }),
    accessKeyId,
    secretAccessKey: mask(secret),
    createdAt: store.createdAt,
  }
}
