import type {
  MutedConversation,
  mutes,
  NotificationSettings,
} from '@chorale/contract/notifications'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import { existingUids, requireUser } from '../../users/index.ts'
import { countMutes, deleteEndedMutes, deleteMutes, insertMutes, listMutes } from './mutes.sql.ts'
import { settingsOf } from './settings.ts'

const maxMutes = 1000

export const muteHandlers: Handlers<typeof mutes> = {
  async listMutedConversations({ query: { uid } }, ctx) {
    await requireUser(ctx, uid)
    const settings = await settingsOf(ctx.db)
    const rows = await listMutes(ctx.db, uid, ctx.now * 1000)
    const mutedConversations = rows
      .filter(({ type }) => mayMute(settings, type))
      .map(({ until, ...conversation }) => ({ ...conversation, ...(until !== null && { until }) }))
    return { data: { mutedConversations } }
  },

  async muteConversations({ query: { uid }, body: { conversations } }, ctx) {
    await requireUser(ctx, uid)
    // One by one, so that two at once do not both find room for the last.
    await existingUids(ctx.db, [uid], { alone: true })
    const settings = await settingsOf(ctx.db)
    await deleteEndedMutes(ctx.db, uid, ctx.now * 1000)
    const wanted = lastOfEach(conversations).filter(({ type }) => mayMute(settings, type))
    await insertMutes(ctx.db, uid, wanted)
    if ((await countMutes(ctx.db, uid)) > maxMutes) {
      const values = { limit: maxMutes, what: 'muted conversations' }
      throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', values)
    }
    return { data: { success: true } }
  },

  async unmuteConversations({ query: { uid }, body: { conversations } }, ctx) {
    await requireUser(ctx, uid)
    await deleteMutes(ctx.db, uid, conversations)
    return { data: { success: true } }
  },
}

/** Whether the app leaves it to its users. */
function mayMute({ preferences }: NotificationSettings, type: MutedConversation['type']): boolean {
  const { mutedGroupsOverride, mutedOneOnOnesOverride } = preferences.mute
  return type === 'group' ? mutedGroupsOverride : mutedOneOnOnesOverride
}

function lastOfEach(conversations: readonly MutedConversation[]): MutedConversation[] {
  return [...new Map(conversations.map((one) => [`${one.type} ${one.id}`, one])).values()]
}
