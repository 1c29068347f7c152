import type { Actor } from '../../../pipeline/caller.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { visibleFrom } from '../../conversations/index.ts'
import type { Entry } from '../../log/entries/index.ts'
import { findMembership } from './access.sql.ts'
import { findMessage, lockConversationOf } from './messages.sql.ts'

/**
 * The only way to a message: it exists, and the acting user may see it; or the failure. `look`: also
 * at what is withheld from everyone else.
 */
export async function accessMessage(
  ctx: Pick<ReadCtx, 'db' | 'actor'>,
  id: string,
  purpose: 'look' | 'read' | 'change',
): Promise<Entry> {
  // The conversation before the entry, as everywhere.
  if (purpose === 'change') await lockConversationOf(ctx.db, Number(id))
  const own = purpose === 'look' ? ctx.actor?.uid : undefined
  const entry = await findMessage(ctx.db, Number(id), purpose === 'change', own)
  if (!entry) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
  if (ctx.actor) {
    const from = await visibleFrom(ctx.db, entry.row, ctx.actor.uid)
    if (from === undefined || entry.row.seq <= from)
      throw new Failure('ERR_MESSAGE_NO_ACCESS', { id })
  }
  return entry
}

/** As whom something is done: the acting user, or the app. */
export function actingUid({ actor }: Pick<ReadCtx, 'actor'>): string {
  return actor?.uid ?? 'app_system'
}

/** It was said by somebody, and still stands. */
export function requireStanding({ row }: Entry): void {
  if (row.category === 'action') throw new Failure('ERR_MESSAGE_ACTION_NOT_ALLOWED')
  if (row.deletedAt !== null) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id: row.id })
}

/** The sender may; in a group also moderators, admins and the owner; the app always. */
export async function requireMayChange(
  { db, actor }: Pick<ReadCtx, 'db' | 'actor'>,
  entry: Entry,
  what: 'editMessage' | 'deleteMessage',
): Promise<void> {
  const { row, receiver } = entry
  requireStanding(entry)
  if (!actor) return
  if (actor.permissions[what] === 'deny') throw new Failure('ERR_PERMISSION_DENIED', { what })
  const member = receiver.kind === 'group' && (await findMembership(db, receiver.guid, actor.uid))
  if (member) requireScope(actor, member, what)
  if (row.sender === actor.uid) return
  if (member && (member.owner || member.scope !== 'participant')) return
  throw new Failure('ERR_MESSAGE_NOT_A_SENDER')
}

/** A role may deny it for some scopes; a scope may be denied editing in its group. */
function requireScope(
  { permissions }: Actor,
  member: { scope: string; permissions: Readonly<Record<string, unknown>> },
  what: 'editMessage' | 'deleteMessage',
): void {
  const denied = [permissions[`${what}.denyForScopes`] ?? []].flat()
  if (denied.includes(member.scope) || member.permissions[what] === 'deny') {
    throw new Failure('ERR_PERMISSION_DENIED', { what })
  }
}
