import type { Caller } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import type { CaseRow } from './reviews.sql.ts'

/** How a case names who holds it. `moderator`: as the server of the app calls them. */
export function holderOf(caller: Caller, moderator = ''): string {
  return caller.kind === 'collaborator' ? `person:${caller.collaboratorId}` : `app:${moderator}`
}

/** Throws where somebody else looks at a case, or has decided. What the app itself says counts. */
export function requireFree(
  { caller, now }: Pick<WriteCtx, 'caller' | 'now'>,
  { messageId: id, status, claimedBy, claimedUntil }: CaseRow,
): void {
  if (caller.kind !== 'collaborator') return
  if (claimedBy === null || claimedBy === holderOf(caller)) return
  if (status !== 'open' || (claimedUntil ?? 0) > now) throw new Failure('ERR_CASE_CLAIMED', { id })
}
