import type { ConversationKey } from '../../outbox/committed.ts'
import type { Actor } from '../../pipeline/caller.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import { findUserConversation } from '../log/participants/index.ts'
import { requireUser } from '../users/index.ts'
import { findGroupConversation, isParticipant } from './access.sql.ts'

/** The acting user of an operation that must have one. */
export function actorOf({ actor }: Pick<ReadCtx, 'actor'>): Actor {
  if (!actor) throw badRequest('onBehalfOf', 'This header is required.')
  return actor
}

/** The acting user's conversation with this user, or the failure. */
export async function accessUserConversation(ctx: ReadCtx, uid: string): Promise<ConversationKey> {
  const { uid: viewer } = actorOf(ctx)
  await requireUser(ctx, uid)
  const found = await findUserConversation(ctx.db, viewer, uid)
  if (!found) throw new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
  return found
}

/** The conversation of a group that the acting user is a member of, or the failure. */
export async function accessGroupConversation(
  ctx: ReadCtx,
  guid: string,
): Promise<ConversationKey> {
  const { uid } = actorOf(ctx)
  const found = await findGroupConversation(ctx.db, guid)
  if (!found) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
  const { bucket, key, isPrivate } = found
  if (!(await isParticipant(ctx.db, found, uid))) {
    // A private group does not exist for those who are not in it.
    if (isPrivate) throw new Failure('ERR_GUID_NOT_FOUND', { guid })
    throw new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
  }
  return { bucket, key }
}
