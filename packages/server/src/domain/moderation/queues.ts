import { isDeepStrictEqual } from 'node:util'
import type {
  blockedMessages,
  blockedMessagesOfApp,
  flaggedMessages,
} from '@chorale/contract/moderation'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { RawJson, rawList, rawObject, withFields } from '../../pipeline/raw-json.ts'
import { actorOf } from '../conversations/index.ts'
import { opened } from '../log/entries/index.ts'
import { accessMessage, requireStanding } from '../messages/stored/index.ts'
import { findUsers, shownUser } from '../users/index.ts'
import { profilesIn, serialiseEntries } from '../views/index.ts'
import { defaultReasons } from './default-reasons.ts'
import { reportMessage } from './reports.ts'
import { type CaseRow, type FlagRow, findFlags, listCases, type Queue } from './reviews.sql.ts'
import { review } from './reviews.ts'

type QueueHandlers = Handlers<typeof blockedMessages & typeof flaggedMessages>

export const queueHandlers: QueueHandlers = {
  listBlockedMessages: ({ query }, ctx) => list(ctx, 'blocked', query, async () => blocked),

  async reviewBlockedMessage({ params: { messageId }, body: { status } }, ctx) {
    await review(ctx, Number(messageId), 'blocked', status)
    return { data: { success: true, message: `The message ${messageId} is ${status}.` } }
  },

  listFlaggedMessages: ({ query }, ctx) =>
    list(ctx, 'flagged', query, async (cases) => {
      const flaggedBy = await flagsOf(ctx, cases)
      return ({ messageId, caught }, message) => {
        const flags = flaggedBy(messageId)
        return withFields(message, {
          appId: ctx.app.appId,
          flaggedBy: flags,
          flaggedCount: flags.length,
          rule: caught?.rule,
        })
      }
    }),

  async reviewFlaggedMessage({ params: { id }, body: { status } }, ctx) {
    await review(ctx, Number(id), 'flagged', status)
    return { data: { success: true, message: `The message ${id} is ${status}.` } }
  },

  listReviewedMessages: ({ query }, ctx) =>
    list(ctx, 'reviewed', query, async () => (row) => reviewed(row, ctx.app.appId)),

  async flagMessage({ params: { id }, body: { reasonId, remark } }, ctx) {
    const { uid } = actorOf(ctx)
    const entry = await accessMessage(ctx, id, 'change')
    requireStanding(entry)
    await reportMessage(ctx, entry.row, { uid, reasonId, remark, data: entry.row.data })
    return { data: { success: true, message: `The message ${id} is reported.` } }
  },
}

/** One handler, two addresses. */
export const queueOfAppHandlers: Handlers<typeof blockedMessagesOfApp> = {
  listBlockedMessagesOfApp: queueHandlers.listBlockedMessages,
  reviewBlockedMessageOfApp: queueHandlers.reviewBlockedMessage,
}

async function list<T>(
  ctx: ReadCtx,
  queue: Queue,
  query: { readonly limit: number; readonly page: number },
  showIn: (cases: readonly CaseRow[]) => Promise<Show>,
): Promise<RawJson<T>> {
  const cases = await listCases(ctx.db, queue, query)
  const rows = await printCases(ctx, cases, await showIn(cases))
  const meta = { current: { limit: query.limit, count: rows.length } }
  return new RawJson(rawObject({ meta }, { data: rawList(rows) }))
}

type Show = (row: CaseRow, message: string) => object | string

/** Moderators see what is withheld. `show`: an object, which gets the message, or text that has it. */
export async function printCases(
  { db, addresses }: Pick<ReadCtx, 'db' | 'addresses'>,
  cases: readonly CaseRow[],
  show: Show,
): Promise<string[]> {
  const entries = cases.map(({ entry: { row, receiver } }) => {
    const { sealed } = row.verdict ?? {}
    return { row: sealed ? opened(row, sealed) : row, receiver }
  })
  const view = { viewer: undefined, deletedToo: true, addresses }
  const messages = await serialiseEntries(db, profilesIn(db), entries, view)
  const rows: string[] = []
  for (const [nth, one] of cases.entries()) {
    const message = withFields(messages[nth] ?? '{}', reportedIn(one, entries[nth]?.row.data))
    const shown = show(one, message)
    rows.push(typeof shown === 'string' ? shown : rawObject(shown, { message }))
  }
  return rows
}

/** What the message said when it was reported, where it says something else by now. */
function reportedIn({ reported }: CaseRow, data = '{}') {
  // The database keeps the fields of the one in another order than those of the other.
  const now: unknown = JSON.parse(data)
  const gone = (reported ?? []).filter((one) => !isDeepStrictEqual(one, now))
  return gone.length > 0 ? { reported: gone } : {}
}

export function blocked({ caught, openedAt, movedAt }: CaseRow) {
  const { rule, condition, reason, actions = [] } = caught ?? {}
  return {
    ...(rule && { ruleId: rule.id, ruleName: rule.name, revisionId: rule.revisionId }),
    ...(condition && { condition: { ...condition, weight: 1 } }),
    ...(reason !== undefined && { reason }),
    action: actions,
    createdAt: openedAt,
    updatedAt: movedAt,
  }
}

function reviewed(row: CaseRow, appId: string) {
  const { condition, ...fields } = blocked(row)
  const message = condition?.message?.join(' ') ?? ''
  const id = String(row.messageId).padStart(16, '0')
  return {
    ...fields,
    ...(condition && { condition: { ...condition, message } }),
    blockedAt: `${row.openedAt}.${id}`,
    appId,
  }
}

/** Who has reported which of these messages. */
export async function flagsOf({ db }: ReadCtx, cases: readonly CaseRow[]) {
  const flags = await findFlags(
    db,
    cases.map(({ messageId }) => messageId),
  )
  const uids = [...new Set(flags.map(({ uid }) => uid))]
  const users = await findUsers(db, uids, undefined)
  const userOf = new Map(users.map((user) => [user.uid, user]))
  const shown = flags.flatMap((flag) => {
    const user = userOf.get(flag.uid)
    if (!user) return []
    const by = { ...shownUser(user, { viewer: undefined }), ...shownFlag(flag) }
    return [{ messageId: flag.messageId, by }]
  })
  const byMessage = Map.groupBy(shown, ({ messageId }) => messageId)
  return (messageId: number) => byMessage.get(messageId)?.map(({ by }) => by) ?? []
}

function shownFlag({ reasonId, reasonName, description, remark, flaggedAt }: FlagRow) {
  const known = defaultReasons.get(reasonId)
  return {
    reasonId,
    reasonName: reasonName ?? known?.name ?? reasonId,
    description: description ?? known?.description ?? '',
    flaggedAt,
    ...(remark !== null && { remark }),
  }
}
