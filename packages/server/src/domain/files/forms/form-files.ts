import { v7 as newId } from 'uuid'
import type { AppDb } from '../../../database/app-db.ts'
import { NoSlot, openFairSlots } from '../../../limits/fair-slots.ts'
import type { Transactions } from '../../../outbox/unit-of-work.ts'
import type { Caller } from '../../../pipeline/caller.ts'
import { badRequest, Failure, tooManyRequests } from '../../../pipeline/failure.ts'
import { keyOf } from '../../../storage/storage.ts'
import {
  countFile,
  type FileRow,
  findFiles,
  insertFile,
  lockFile,
  setFileSize,
  setFileState,
  type Usage,
  usageOf,
} from '../files.sql.ts'
import { requireRoom } from '../quotas.ts'
import { fileRemovalQueue, isNamed, removeFile } from '../removals.sql.ts'
import type { UploadParts } from '../uploads.ts'

interface FormFileParts extends Pick<UploadParts, 'stores' | 'limits' | 'checks'> {
  readonly dbOf: (appId: string) => AppDb
  readonly transactions: (appId: string) => Transactions
  readonly clock: () => number
}

/** Each may keep a block of a file in memory. */
const formsAtOnce = { most: 32, maxPerKey: 8, maxWaitingPerKey: 8, patienceMs: 10_000 }

/** Files that come in a form: their bytes pass through this process, block by block. */
export function openFormFiles(parts: FormFileParts) {
  const slots = openFairSlots(formsAtOnce)
  return {
    async during<T>(caller: Caller, work: (intake: Intake) => Promise<T>): Promise<T> {
      const { app } = caller
      if (!app) throw new Error('A form with files was sent without an app.')
      const intake = new Intake(parts, app.appId, uidOf(caller))
      try {
        return await slots.use(app.appId, () => work(intake))
      } catch (error) {
        if (error instanceof NoSlot) throw tooManyRequests('too many forms with files at once', 5)
        // Of anything else nobody knows whether a message names them now.
        if (!intake.isWhole || (error instanceof Failure && error.status < 500)) await intake.drop()
        throw error
      }
    },
  }
}

function uidOf(caller: Caller): string | null {
  return ('actor' in caller && caller.actor?.uid) || null
}

class Intake {
  readonly #parts: FormFileParts
  readonly #db: AppDb
  readonly #transactions: Transactions
  readonly #uid: string | null
  readonly #taken: string[] = []
  #bytes = 0
  #isWhole = false

  constructor(parts: FormFileParts, appId: string, uid: string | null) {
    this.#parts = parts
    this.#db = parts.dbOf(appId)
    this.#transactions = parts.transactions(appId)
    this.#uid = uid
  }

  get isWhole(): boolean {
    return this.#isWhole
  }

  end(): void {
    this.#isWhole = true
  }

  /** A row says that it is there before its bytes are: what this process leaves behind is removed. */
  async take(
    { name, mimeType }: Pick<FileRow, 'name' | 'mimeType'>,
    bytes: AsyncIterable<Buffer>,
  ): Promise<{ readonly uploadId: string; readonly mimeType: string }> {
    const { stores, limits, clock } = this.#parts
    const { appId } = this.#db
    const store = await stores.current(this.#db)
    if (!store) throw new Failure('ERR_FILES_NOT_CONFIGURED')
    const file: FileRow = {
      fileId: newId(),
      uid: this.#uid,
      storeId: store.storeId,
      state: 'waiting',
      size: 0,
      createdAt: clock(),
      partsId: null,
      name,
      mimeType,
      facts: null,
    }
    const { fileId } = file
    const before = await usageOf(this.#db, this.#uid)
    await this.#transactions.inApp(appId, async ({ db }) => {
      await insertFile(db, file, limits.unusedSeconds)
      await countFile(db, file, 1)
    })
    this.#taken.push(fileId)
    const target = { key: keyOf(appId, fileId), type: mimeType }
    const size = await store.storage.take(target, this.#within(bytes, before))
    if (size === 0) throw badRequest('file', 'A file has no bytes.')
    await this.#complete(file, size)
    return { uploadId: fileId, mimeType }
  }

  async drop(): Promise<void> {
    const { appId } = this.#db
    await this.#transactions.inApp(appId, async ({ db, outbox }) => {
      for (const file of await findFiles(db, this.#taken)) {
        await lockFile(db, file.fileId)
        if (!(await isNamed(db, file.fileId))) await removeFile(db, file)
      }
      outbox.wake(fileRemovalQueue)
    })
  }

  /** All files of a form are as large as one may be. */
  async *#within(bytes: AsyncIterable<Buffer>, { user, app }: Usage): AsyncGenerator<Buffer> {
    const { limits } = this.#parts
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      this.#bytes += chunk.length
      if (this.#bytes > limits.maxBytes) {
        throw new Failure('ERR_FILE_TOO_LARGE', { most: limits.maxBytes })
      }
      requireRoom(limits, { user: user + size, app: app + size })
      yield chunk
    }
  }

  async #complete(file: FileRow, size: number): Promise<void> {
    const { checks, limits } = this.#parts
    const { fileId } = file
    await this.#transactions.inApp(this.#db.appId, async (ctx) => {
      const there = await lockFile(ctx.db, fileId)
      if (!there) throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId: fileId })
      requireRoom(limits, await setFileSize(ctx.db, file, size))
      await setFileState(ctx.db, fileId, await checks.begin(ctx, { ...file, size }))
    })
  }
}
