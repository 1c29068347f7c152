import type { me } from '@chorale/contract/users'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { accessUser } from './access.ts'
import { revokeAuthToken } from './auth-tokens.ts'
import { shown } from './user-view.ts'
import { changeUser } from './users.ts'

export const meHandlers: Handlers<typeof me> = {
  async getMe(_, ctx) {
    return { data: shown(await accessUser(ctx, deviceOf(ctx).actor.uid), { withTags: true }) }
  },

  async updateMe({ body }, ctx) {
    return { data: await changeUser(ctx, deviceOf(ctx).actor.uid, body) }
  },

  async deleteMyAuthToken(_, ctx) {
    const { actor, tokenHash } = deviceOf(ctx)
    await revokeAuthToken(ctx, actor.uid, tokenHash)
    return { data: { success: true, message: 'The auth token is deleted.' } }
  },
}

/** Nobody else gets past the pipeline. */
function deviceOf({ caller }: ReadCtx) {
  if (caller.kind !== 'device') {
    throw new Failure('AUTH_ERR_NO_ACCESS', { needed: 'the auth token of a user' })
  }
  return caller
}
