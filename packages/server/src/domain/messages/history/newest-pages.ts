import { openAppCache } from '../../../limits/app-cache.ts'

/** The newest entries of a conversation, as they were when it had this version. */
export interface NewestPage {
  readonly version: string
  /** As `entriesOf` reads them; undefined: not everybody sees the same. */
  readonly entries: string | undefined
}

/**
 * Pages that were read, each for all readers of its conversation. The statement that finds the
 * conversation compares the version, and reads the page only if it is another one: docs/versions.md.
 */
export interface NewestPages {
  get(appId: string, name: string): NewestPage | undefined
  set(appId: string, name: string, page: NewestPage): void
}

const bytesBesidesEntries = 300
/** At most: a text without letters beyond Latin-1 takes one. */
const bytesPerLetter = 2

export function openNewestPages(maxBytes: number): NewestPages {
  return openAppCache<NewestPage>(
    maxBytes,
    ({ entries = '' }) => entries.length * bytesPerLetter + bytesBesidesEntries,
  )
}
