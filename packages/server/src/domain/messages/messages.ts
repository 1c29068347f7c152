import type { messages } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import type { RawJson } from '../../pipeline/raw-json.ts'
import { asTheyAre, fileRemovalQueue, nameFiles, releaseFilesOf } from '../files/index.ts'
import { isKept } from '../holds/index.ts'
import { type Entry, type Extra, editEntry, withdrawEntry } from '../log/entries/index.ts'
import { findCaseStatus, openCase } from '../rules/cases/index.ts'
import { classificationQueue, insertClassification } from '../rules/classifiers/index.ts'
import type { ModerationResult } from '../rules/index.ts'
import { unseenAmong } from '../users/index.ts'
import { profilesIn } from '../views/index.ts'
import { insertEdit } from './edits.sql.ts'
import { deletePin } from './pins.sql.ts'
import { type Content, checkContent, keepingInjected, saidBy } from './send/content.ts'
import { withFiles } from './send/content-files.ts'
import { requireMayTouch } from './send/delivery.ts'
import { examine, type Moderation } from './send/moderation.ts'
import { withhold } from './send/withhold.ts'
import { accessMessage, actingUid, requireMayChange } from './stored/access.ts'
import { type Changing, recordAction } from './stored/record-action.ts'
import { answerWith } from './stored/show-message.ts'
import { deleteTraces } from './stored/traces.sql.ts'
import { lowerReplies } from './threads.sql.ts'

type MessageHandlers = Pick<
  Handlers<typeof messages, 'editMessage'>,
  'getMessage' | 'editMessage' | 'deleteMessage'
>

/** What is edited goes the way of what is sent: the same rules, the same hooks, the same classifiers. */
export const messageHandlers = (moderation: Moderation): MessageHandlers => ({
  async getMessage({ params: { id } }, ctx) {
    return answerWith(ctx, await accessMessage(ctx, id, 'look'))
  },

  editMessage: {
    async prepare({ params: { id }, body }, before) {
      const found = await accessMessage(before, id, 'read')
      const content = body.data && (await contentOf(before, found, body.data))
      await requireMayEdit(before, found, content)
      const beside = await besideOf(before, found, content, body.tags)
      const examined = content && (await moderateEdit(moderation, before, found, content, beside))
      return async (ctx) => {
        const entry = await accessMessage(ctx, id, 'change')
        await requireMayEdit(ctx, entry, content)
        return edit(ctx, entry, beside, examined)
      }
    },
  },

  async deleteMessage({ params: { id }, body: { permanent } }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'deleteMessage')
    const wanted = permanent && mayErase(ctx)
    const kept = wanted && ((await isUnderReview(ctx, entry)) || (await isKept(ctx.db, entry.row)))
    const forever = wanted && !kept
    const { pinned: _, ...beside } = entry.row.extra ?? {}
    const by = { deletedBy: actingUid(ctx), ...(kept && { erase: true as const }) }
    const extra = { ...(forever ? {} : beside), ...by }
    await withdrawEntry(ctx.db, entry.row, { extra, forever }, ctx.now)
    if (forever) await forget(ctx, entry.row)
    else await deletePin(ctx.db, entry.row)
    if (beside.parent !== undefined) await lowerReplies(ctx.db, entry.row)
    return answerWith(ctx, await recordAction(ctx, 'deleted', entry, changing(ctx)))
  },
})

/** What a device deletes for ever is gone for everyone it can be shown to, and kept for the app. */
function mayErase({ app, caller }: ReadCtx): boolean {
  return caller.kind !== 'device' || app.settings['messages.devicesDeleteForever'] === true
}

/** Reported or caught by a rule, and no moderator has said what is to become of it. */
async function isUnderReview({ db }: ReadCtx, { row }: Entry): Promise<boolean> {
  const status = await findCaseStatus(db, row.id)
  // The case of what a rule has caught is opened moments later.
  return status === 'open' || (status === undefined && Boolean(row.verdict))
}

/** In the category and type that the message has, with what hooks have put into it. */
function contentOf(ctx: ReadCtx, { row }: Entry, given: Content['data']): Promise<Content> {
  const said = keepingInjected(saidBy(ctx.caller, given), JSON.parse(row.data))
  const checked = checkContent(ctx.app, row.category, row.type, said)
  return withFiles(ctx, checked, row.extra?.files)
}

/** What people left on it, and its files. */
async function forget({ db, outbox }: WriteCtx, row: Entry['row']): Promise<void> {
  await deleteTraces(db, row)
  await releaseFilesOf(db, row, [row.seq])
  outbox.wake(fileRemovalQueue)
}

/** What changes beside the data. */
async function besideOf(
  ctx: ReadCtx,
  { row }: Entry,
  content: Content | undefined,
  tags: string[] | undefined,
): Promise<Extra> {
  return {
    ...(content && {
      mentions: content.mentions,
      unseen: await unseenAmong(ctx, content.mentions),
    }),
    ...(content?.files && { files: allFiles(row.extra?.files, content.files) }),
    ...(tags && { tags }),
    editedBy: actingUid(ctx),
  }
}

/** Those of earlier words stay, as the words do. */
function allFiles(before: Extra['files'] = [], now: Extra['files'] = []) {
  const fresh = now.filter(({ id }) => !before.some((known) => known.id === id))
  return [...before, ...fresh]
}

async function requireMayEdit(
  ctx: Pick<ReadCtx, 'app' | 'db' | 'actor' | 'now'>,
  entry: Entry,
  content: Content | undefined,
): Promise<void> {
  await requireMayChange(ctx, entry, 'editMessage')
  const { category, type, sentAt } = entry.row
  const seconds = Number(ctx.app.settings['messages.editWindowSeconds'] ?? 0)
  if (ctx.actor && seconds > 0 && ctx.now - sentAt > seconds) {
    throw new Failure('ERR_EDIT_WINDOW_CLOSED', { seconds })
  }
  await requireMayTouch(ctx, 'edit', entry, content ?? { category, type, data: {}, mentions: [] })
}

/** What hooks and rules say to the new words. */
interface Examined {
  readonly said: Content['data']
  readonly result: ModerationResult | undefined
}

async function moderateEdit(
  moderation: Moderation,
  ctx: ReadCtx,
  { row, receiver }: Entry,
  content: Content,
  beside: Extra,
): Promise<Examined> {
  const edited = {
    ...row,
    data: JSON.stringify(content.data),
    extra: { ...row.extra, ...beside },
    editedAt: ctx.now,
  }
  const { data, result } = await examine(moderation, ctx, {
    by: ctx.actor,
    content,
    entry: { row: edited, receiver },
    profiles: profilesIn(ctx.db),
  })
  return { said: JSON.parse(data), result }
}

async function edit<T>(
  ctx: WriteCtx,
  entry: Entry,
  beside: Extra,
  examined: Examined | undefined,
): Promise<RawJson<T>> {
  const { row } = entry
  const named = beside.files?.map(({ id }) => id) ?? []
  await nameFiles(ctx.db, row, named)
  const files = beside.files && (await asTheyAre(ctx, beside.files))
  const changes = { ...beside, ...(files && { files }) }
  const extra = { ...row.extra, ...changes }
  const { said, result } = examined ?? {}
  const { moderation, verdict } = result ?? {}
  if (said && result && moderation?.status === 'disapproved') {
    await withhold(ctx, entry, said, result, extra)
    if (verdict) await openCase(ctx, row, { ...verdict, withheld: true }, true)
    return answerWith(ctx, await accessMessage(ctx, String(row.id), 'look'))
  }
  const data = said && { ...said, ...(moderation && { moderation }) }
  if (said && verdict?.pending) {
    // Until it is decided, the message is what it was.
    ctx.outbox.wake(classificationQueue)
    await insertClassification(ctx.db, row, {
      ...changing(ctx),
      data: said,
      extra: changes,
      verdict,
    })
    return answerWith(ctx, { ...entry, row: { ...row, data: JSON.stringify(data), extra } })
  }
  await insertEdit(ctx.db, row, ctx.now)
  await editEntry(ctx.db, row, { data, extra, verdict }, ctx.now)
  if (verdict) await openCase(ctx, row, verdict, true)
  return answerWith(ctx, await recordAction(ctx, 'edited', entry, changing(ctx)))
}

/** As whom the call acts, and whether the app wants changes to show in lists. */
function changing(ctx: ReadCtx): Changing {
  const visible = ctx.app.settings['core.conversations.updateOnMessageActions'] === true
  return { by: actingUid(ctx), visible }
}
