import { openAppCache, textBytes } from '../../../limits/app-cache.ts'
import type { PlainPage } from '../../views/plain-pages/index.ts'

/**
 * The newest entries of a conversation, as they were when it had this version. Without `entries` and
 * `plain`, not everybody sees the same.
 */
interface NewestPage {
  readonly version: string
  /** As `entriesOf` reads them, unless `plain` has them. */
  readonly entries?: string | undefined
  /** Since it was read again. */
  readonly plain?: PlainPage
  /** One of them at least is not as it was sent: they cannot be `plain`. */
  readonly isMixed?: boolean
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

export function openNewestPages(maxBytes: number): NewestPages {
  return openAppCache<NewestPage>(
    maxBytes,
    ({ plain, entries = '' }) => bytesOfPage + (plain?.bytes ?? 0) + textBytes(entries),
  )
}
