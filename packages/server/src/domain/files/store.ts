import type { AppDb } from '../../database/app-db.ts'
import type { Bucket } from '../../storage/s3.ts'
import type { Storage } from '../../storage/storage.ts'

/** Where files are, and what may be stored. */
export interface FileStores {
  /** Undefined: files cannot be stored. */
  current(db: AppDb): Promise<CurrentStore | undefined>
  /** The one that a file is in; null: the install's. Undefined: it is not known any more. */
  of(db: AppDb, storeId: number | null): Promise<Storage | undefined>
  /** A bucket that an app names. */
  open(bucket: Bucket): Promise<Storage>
  /** Every one that files of the app may be in. */
  all(db: AppDb): Promise<readonly Storage[]>
}

interface CurrentStore {
  readonly storeId: number | null
  readonly storage: Storage
}

/** In bytes; 0: no limit. */
export interface FileLimits {
  readonly maxBytes: number
  readonly appBytes: number
  readonly userBytes: number
  /** How long a file stays that no message names. */
  readonly unusedSeconds: number
}
