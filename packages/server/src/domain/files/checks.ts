import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import type { UploadProgress } from '../../realtime/subjects.ts'
import type { Storage } from '../../storage/storage.ts'
import { type FileCheckJob, fileCheckQueue, insertCheck } from './checks.sql.ts'
import type { FileFacts, FileRow, FileState } from './files.sql.ts'

/** What a step has found out. */
export type FileFinding =
  | { readonly is: 'passed'; readonly facts?: FileFacts }
  /** It never becomes visible. */
  | { readonly is: 'refused'; readonly why: string }
  /** The step could not be made. */
  | {
      readonly is: 'later'
      readonly afterMs: number
      readonly why: string
      readonly facts?: FileFacts
    }

type Report = (step: NonNullable<UploadProgress['step']>) => void

/** One look at a file, before others may see it. Steps are made one after the other, each as a job. */
export interface FileStep {
  readonly name: string
  /** `report` says what is being done: its sender sees that. */
  run(file: FileCheckJob, storage: Storage, report: Report): Promise<FileFinding>
}

/** What is looked at, in this order. */
export interface FileChecks {
  readonly steps: readonly FileStep[]
  /** The state that a file has once all its bytes are there: `ready` where nothing is looked at. */
  begin(ctx: AppTransaction, file: FileRow): Promise<FileState>
}

export function openFileChecks(steps: readonly FileStep[]): FileChecks {
  const [first] = steps
  return {
    steps,
    async begin(ctx, { fileId }) {
      if (!first) return 'ready'
      await insertCheck(ctx.db, fileId, first.name)
      ctx.outbox.wake(fileCheckQueue)
      return 'checking'
    },
  }
}
