import type { Upload, uploads } from '@chorale/contract/files'
import { v7 as newId } from 'uuid'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { keyOf, type Storage, type Target } from '../../storage/storage.ts'
import { accessFile } from './access.ts'
import type { FileChecks } from './checks.ts'
import { countFile, type FileRow, insertFile, setFileState, usageOf } from './files.sql.ts'
import { requireRoom } from './quotas.ts'
import { fileRemovalQueue, isNamed, removeFile } from './removals.sql.ts'
import type { FileLimits, FileStores } from './store.ts'

export interface UploadParts {
  readonly stores: FileStores
  readonly limits: FileLimits
  readonly checks: FileChecks
  /** The rules for a message with a file of this type, or the failure of the first that forbids it. */
  readonly requireMaySend: (
    ctx: ReadCtx,
    to: { readonly type: 'user' | 'group'; readonly id: string },
    mimeType: string,
  ) => Promise<void>
}

/** Addresses of parts in one answer. */
const maxParts = 100

type UploadHandlers = Handlers<typeof uploads, 'createUpload' | 'completeUpload'>

export const uploadHandlers = (parts: UploadParts): UploadHandlers => ({
  createUpload: {
    async prepare({ body }, before) {
      const { name, size, mimeType, receiver, receiverType } = body
      if ((receiver === undefined) !== (receiverType === undefined)) {
        throw badRequest('receiverType', 'Name the receiver and its type, or neither.')
      }
      if (receiver !== undefined && receiverType) {
        await parts.requireMaySend(before, { type: receiverType, id: receiver }, mimeType)
      }
      const { maxBytes } = parts.limits
      if (size > maxBytes) throw new Failure('ERR_FILE_TOO_LARGE', { most: maxBytes })
      const store = await parts.stores.current(before.db)
      if (!store) throw new Failure('ERR_FILES_NOT_CONFIGURED')
      const { storage, storeId } = store
      const file: FileRow = {
        fileId: newId(),
        uid: before.actor?.uid ?? null,
        storeId,
        state: 'waiting',
        size,
        createdAt: before.now,
        partsId: null,
        name,
        mimeType,
        facts: null,
      }
      // Before the store hears of it.
      const { user, app } = await usageOf(before.db, file.uid)
      requireRoom(parts.limits, { user: user + size, app: app + size })
      const inParts = size > storage.partSize
      const target = targetOf(before.db.appId, file, parts.limits)
      const begun = inParts ? { ...file, partsId: await storage.startParts(target) } : file
      return async (ctx) => {
        await insertFile(ctx.db, begun, parts.limits.unusedSeconds)
        requireRoom(parts.limits, await countFile(ctx.db, begun, 1))
        return { data: await shown(parts, ctx, begun, storage) }
      }
    },
  },

  async getUpload({ params: { uploadId } }, ctx) {
    return { data: await shown(parts, ctx, await accessFile(ctx, uploadId, 'read')) }
  },

  completeUpload: {
    async prepare({ params: { uploadId } }, before) {
      const file = await accessFile(before, uploadId, 'read')
      if (file.state === 'waiting') await requireBytes(parts, before, file)
      return async (ctx) => {
        const now = await accessFile(ctx, uploadId, 'change')
        if (now.state !== 'waiting') return { data: await shown(parts, ctx, now) }
        const state = await parts.checks.begin(ctx, now)
        await setFileState(ctx.db, uploadId, state)
        return { data: await shown(parts, ctx, { ...now, state }) }
      }
    },
  },

  async cancelUpload({ params: { uploadId } }, ctx) {
    const file = await accessFile(ctx, uploadId, 'change')
    if (await isNamed(ctx.db, uploadId)) throw new Failure('ERR_UPLOAD_IN_USE', { uploadId })
    await removeFile(ctx.db, file)
    ctx.outbox.wake(fileRemovalQueue)
    return { data: { success: true, message: `The upload ${uploadId} is cancelled.` } }
  },
})

/** What was announced is in the store, to the byte. */
async function requireBytes(parts: UploadParts, ctx: ReadCtx, file: FileRow): Promise<void> {
  const { fileId, partsId, size } = file
  const notReady = (why: string) => new Failure('ERR_UPLOAD_NOT_READY', { uploadId: fileId, why })
  const storage = await storeOf(parts, ctx, file)
  const target = targetOf(ctx.db.appId, file, parts.limits)
  const before = await storage.find(target.key)
  if (!before && partsId === null) await storage.accept(target)
  if (!before && partsId !== null) {
    const received = await storage.partsOf(target.key, partsId)
    const count = Math.ceil(size / storage.partSize)
    if (received.length < count) throw notReady(`${count - received.length} parts are missing`)
    await storage.endParts(target, partsId)
  }
  const found = before ?? (await storage.find(target.key))
  if (!found) throw notReady('no bytes were brought')
  if (found.size !== size) throw notReady(`it has ${found.size} bytes instead of ${size}`)
}

async function storeOf({ stores }: UploadParts, { db }: ReadCtx, file: FileRow): Promise<Storage> {
  const storage = await stores.of(db, file.storeId)
  if (!storage) throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId: file.fileId })
  return storage
}

function targetOf(appId: string, file: FileRow, { unusedSeconds }: FileLimits): Target {
  return {
    key: keyOf(appId, file.fileId),
    size: file.size,
    type: file.mimeType,
    expiresAt: file.createdAt + unusedSeconds,
  }
}

async function shown(
  parts: UploadParts,
  ctx: ReadCtx | WriteCtx,
  file: FileRow,
  known?: Storage,
): Promise<Upload> {
  const { fileId: uploadId, name, mimeType, size, state, createdAt, partsId } = file
  const why = state === 'refused' ? file.facts?.why : undefined
  const plain = { uploadId, name, mimeType, size, state, createdAt, ...(why && { why }) }
  if (state !== 'waiting') return plain
  const storage = known ?? (await storeOf(parts, ctx, file))
  const target = targetOf(ctx.db.appId, file, parts.limits)
  const waiting = { ...plain, expiresAt: target.expiresAt }
  if (partsId === null) return { ...waiting, put: storage.put(target) }
  const received = known ? [] : await storage.partsOf(target.key, partsId)
  const { partSize } = storage
  const count = Math.ceil(size / partSize)
  const there = new Set(received)
  const missing = Array.from({ length: count }, (_, nth) => nth + 1)
    .filter((number) => !there.has(number))
    .slice(0, maxParts)
  const put = missing.map((number) => {
    const ofPart = { number, partSize: Math.min(partSize, size - (number - 1) * partSize) }
    return { number, ...storage.putPart({ ...target, partsId, ...ofPart }) }
  })
  return { ...waiting, parts: { size: partSize, count, received: [...received], put } }
}
