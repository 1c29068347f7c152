import { Failure } from '../../pipeline/failure.ts'
import type { Usage } from './files.sql.ts'
import type { FileLimits } from './store.ts'

/** Two that ask in the same moment may both be let in by the quota of the app; not by that of a user. */
export function requireRoom({ userBytes, appBytes }: FileLimits, { user, app }: Usage): void {
  if (userBytes > 0 && user > userBytes) {
    throw new Failure('ERR_FILE_QUOTA_EXCEEDED', { what: 'the user', most: userBytes })
  }
  if (appBytes > 0 && app > appBytes) {
    throw new Failure('ERR_FILE_QUOTA_EXCEEDED', { what: 'the app', most: appBytes })
  }
}
