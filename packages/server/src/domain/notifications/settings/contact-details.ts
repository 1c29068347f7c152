import type { ContactDetails, contactDetails } from '@chorale/contract/notifications'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import {
  deleteContactDetails,
  findContactDetails,
  writeContactDetails,
} from './contact-details.sql.ts'

export const contactDetailHandlers: Handlers<typeof contactDetails> = {
  async getContactDetails(_, ctx) {
    return { data: await detailsOf(ctx) }
  },

  async updateContactDetails({ body }, ctx) {
    requireMaySet(ctx)
    await writeContactDetails(ctx.db, actorOf(ctx), body, ctx.now)
    return { data: await detailsOf(ctx) }
  },

  async deleteContactDetails(_, ctx) {
    await deleteContactDetails(ctx.db, actorOf(ctx))
    return { data: { success: true, message: 'The contact details are deleted.' } }
  },
}

/** Nobody has shown that an address is theirs: an app may want to be the one who says so. */
function requireMaySet({ app, caller }: ReadCtx): void {
  if (caller.kind !== 'device' || app.settings['notifications.devicesSetContacts'] !== false) return
  throw new Failure('ERR_PERMISSION_DENIED', { what: 'contact details from a device' })
}

async function detailsOf(ctx: ReadCtx): Promise<ContactDetails> {
  const { email, phno } = (await findContactDetails(ctx.db, actorOf(ctx))) ?? {}
  return { ...(email && { email }), ...(phno && { phno }) }
}

/** Nobody gets past the pipeline without one. */
function actorOf({ actor }: ReadCtx): string {
  if (!actor) throw badRequest('onBehalfOf', 'This header is required.')
  return actor.uid
}
