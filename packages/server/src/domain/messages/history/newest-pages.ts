import { openAppCache } from '../../../limits/app-cache.ts'
import type { PlainPage } from '../../views/plain-pages/index.ts'

/** The newest entries of a conversation, as they were when it had this version. Neither: not everybody sees the same. */
interface NewestPage {
  readonly version: string
  /** If all of them are as they were sent. */
  readonly plain?: PlainPage | undefined
  /** If not: as `entriesOf` reads them. */
  readonly entries?: string | undefined
}

/**
 * Pages that were read, each for all readers of its conversation. The statement that finds the
 * conversation compares the version, and reads the page only if it is another one: docs/versions.md.
 */
export interface NewestPages {
  get(appId: string, name: string): NewestPage | undefined
  set(appId: string, name: string, page: NewestPage): void
}

const bytesOfPage = 500
/** At most: a text without letters beyond Latin-1 takes one. */
const bytesPerLetter = 2

export function openNewestPages(maxBytes: number): NewestPages {
  return openAppCache<NewestPage>(
    maxBytes,
    ({ plain, entries = '' }) =>
      bytesOfPage + (plain?.bytes ?? 0) + entries.length * bytesPerLetter,
  )
}
