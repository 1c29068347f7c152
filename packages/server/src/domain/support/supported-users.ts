import type { supportedUsers } from '@chorale/contract/support'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { mask } from '../../vault/mask.ts'
import { conversationIdOf, sortName } from '../users/index.ts'
import {
  findSupportedUser,
  findUsersBy,
  listConversationsWith,
  listDevices,
  listGroupsOf,
  listPushes,
  listSignIns,
  type SupportedUserRow,
} from './supported-users.sql.ts'

export const supportedUserHandlers: Handlers<typeof supportedUsers> = {
  async findUsers({ query: { search, limit } }, { db }) {
    const wanted = search.trim()
    if (wanted === '') return { data: [] }
    const lower = wanted.toLowerCase()
    const rows = await findUsersBy(db, { id: lower, name: sortName(wanted), email: lower }, limit)
    return { data: rows.map(({ foundBy, ...row }) => ({ ...present(row), foundBy })) }
  },

  async getSupportedUser({ params: { uid } }, ctx) {
    const { db, now } = ctx
    const user = await requireKnown(ctx, uid)
    const devices = await listDevices(db, uid)
    const signIns = await listSignIns(db, uid, now)
    const groups = await listGroupsOf(db, uid)
    const pushes = await listPushes(db, uid)
    return {
      data: {
        ...present(user),
        devices: devices.map((row) => present({ ...row, pushToken: mask(row.pushToken) })),
        signIns: signIns.map(present),
        groups,
        pushes: pushes.map(present),
      },
    }
  },

  async listConversationsOfUser({ params: { uid }, query: { limit } }, ctx) {
    await requireKnown(ctx, uid)
    const rows = await listConversationsWith(ctx.db, uid, limit)
    const data = rows.flatMap(({ withUid, withGuid, withName, lastMessageAt, unread }) => {
      const other = withUid ?? withGuid
      if (other === null) return []
      return {
        conversationId: withUid === null ? `group_${other}` : conversationIdOf(uid, other),
        conversationType: withUid === null ? ('group' as const) : ('user' as const),
        with: other,
        withName: withName ?? other,
        ...(lastMessageAt > 0 && { lastMessageAt }),
        unreadMessageCount: unread,
      }
    })
    return { data }
  },
}

async function requireKnown({ db }: ReadCtx, uid: string): Promise<SupportedUserRow> {
  const user = await findSupportedUser(db, uid)
  if (!user) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  return user
}

type Present<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>
}

/** Without what a row does not have. */
function present<T extends object>(row: T): Present<T> {
  // What is left out was null.
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<T>
}
