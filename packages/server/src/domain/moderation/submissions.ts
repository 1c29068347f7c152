import type { ReviewStatus, Submission, submissions } from '@chorale/contract/moderation'
import type { AppDb } from '../../database/app-db.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { RawJson, rawList, rawObject } from '../../pipeline/raw-json.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { ensureGroup } from '../groups/index.ts'
import type { Entry, Verdict } from '../log/entries/index.ts'
import { placeOf, windowMeta } from '../messages/history/index.ts'
import { checkContent } from '../messages/send/index.ts'
import { actingUid, asFound } from '../messages/stored/index.ts'
import { closeCase, deleteCases } from '../rules/cases/index.ts'
import { ensureUsers } from '../users/index.ts'
import { profilesIn, serialiseFresh } from '../views/index.ts'
import { holderOf, requireFree } from './holders.ts'
import { type CaseRow, findCase } from './reviews.sql.ts'
import { submissionQueue } from './submission-jobs.sql.ts'
import {
  deleteSubmission,
  deleteSubmissionsOf,
  ensureSubmission,
  findSubmission,
  listSubmissions,
  restateSubmission,
  type SubmissionRow,
  updateSubmission,
} from './submissions.sql.ts'

/** Messages that live elsewhere: in no conversation here, and moderated by a worker. */
export function submissionHandlers(passwords: Passwords): Handlers<typeof submissions, Keyed> {
  return {
    ...unkeyed,
    submitMessage: submitting(passwords),
  }
}

/** May create a group with a password, which is hashed before the transaction. */
type Keyed = 'submitMessage'

const submitting = (
  passwords: Passwords,
): Handlers<typeof submissions, Keyed>['submitMessage'] => ({
  async prepare({ body }, before) {
    const { muid, sender, receiverType, receiver, tags, sentAt = before.now } = body
    const { mentions, ...content } = checkContent(before.app, body.category, body.type, body.data)
    const ensureEnds = await endsOf(passwords, before, body)
    const extra = { ...(tags && { tags }), ...(mentions.length > 0 && { mentions }) }
    const fresh = { muid, sender, receiverType, receiver, ...content, extra, sentAt }
    return async (ctx) => {
      await ensureEnds(ctx)
      ctx.outbox.wake(submissionQueue)
      return answerWith(ctx, await ensureSubmission(ctx.db, fresh, ctx.now))
    }
  },
})

const unkeyed: Handlers<Omit<typeof submissions, Keyed>> = {
  async listSubmissions({ query }, ctx) {
    const place = placeOf(query, 'append')
    const rows = await listSubmissions(ctx.db, query, place)
    const last = rows.at(-1)
    const meta = windowMeta(place, rows.length, last && { id: last.id, sentAt: last.sentAt })
    const inOrder = place.affix === 'append' ? rows : rows.toReversed()
    return new RawJson(rawObject({ meta }, { data: rawList(await print(ctx.db, inOrder)) }))
  },

  async getSubmission({ params: { id } }, ctx) {
    return answerWith(ctx, await accessSubmission(ctx, id))
  },

  async updateSubmission({ params: { id }, body }, ctx) {
    const { category, type, data, extra } = await accessSubmission(ctx, id, { lock: true })
    const content = checkContent(ctx.app, category, type, body.data ?? JSON.parse(data))
    const beside = { ...extra, mentions: content.mentions, editedBy: actingUid(ctx) }
    await updateSubmission(ctx.db, Number(id), { data: content.data, extra: beside }, ctx.now)
    await deleteCases(ctx.db, [Number(id)])
    ctx.outbox.wake(submissionQueue)
    return answerWith(ctx, await accessSubmission(ctx, id))
  },

  async deleteSubmission({ params: { id } }, ctx) {
    if (!(await deleteSubmission(ctx.db, Number(id)))) throw notFound(id)
    await deleteCases(ctx.db, [Number(id)])
    return { data: { success: true, message: `The message ${id} is deleted.` } }
  },
}

/** Sender and receiver are there, or are created from what the call says of them. */
async function endsOf(
  passwords: Passwords,
  before: ReadCtx,
  body: Submission,
): Promise<(ctx: WriteCtx) => Promise<void>> {
  const { sender, receiver, receiverType } = body
  const { senderUserDetails: from, receiverUserDetails: user, receiverGroupDetails: group } = body
  if (from && from.uid !== sender) throw differs('senderUserDetails.uid', 'sender')
  if (receiverType === 'group') {
    if (group && group.guid !== receiver) throw differs('receiverGroupDetails.guid', 'receiver')
    const ensure = await ensureGroup(passwords, before, receiver, group)
    return async (ctx) => {
      await ensureUsers(ctx, [sender], from ? [from] : [])
      await ensure(ctx)
    }
  }
  if (receiver === sender)
    throw badRequest('receiver', 'The sender and the receiver are the same user.')
  if (user && user.uid !== receiver) throw differs('receiverUserDetails.uid', 'receiver')
  const details = [from, user].filter((one) => one !== undefined)
  return (ctx) => ensureUsers(ctx, [sender, receiver], details)
}

function differs(field: string, from: string): Failure {
  return badRequest(field, `It must be the ${from}.`)
}

async function accessSubmission(
  { db }: ReadCtx,
  id: string,
  how?: { readonly lock: boolean },
): Promise<SubmissionRow> {
  const row = await findSubmission(db, Number(id), how)
  if (!row) throw notFound(id)
  return row
}

function notFound(id: string | number): Failure {
  return new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
}

async function answerWith<T>({ db }: ReadCtx, row: SubmissionRow): Promise<RawJson<T>> {
  const [data] = await print(db, [row])
  return new RawJson(rawObject({}, { data }))
}

function print(db: AppDb, rows: readonly SubmissionRow[]): Promise<string[]> {
  return serialiseFresh(db, profilesIn(db), rows.map(entryOf), { viewer: undefined })
}

function entryOf({ status: _, revision: __, ...row }: SubmissionRow): Entry {
  return asFound(row)
}

/** A moderator has looked at a submission, which changes its status alone. False: it is none. */
export async function reviewSubmission(
  ctx: WriteCtx,
  id: number,
  kind: CaseRow['kind'],
  status: ReviewStatus,
): Promise<boolean> {
  const row = await findSubmission(ctx.db, id, { lock: true })
  if (!row) return false
  const found = await findCase(ctx.db, id)
  if (found?.kind !== kind) throw notFound(id)
  requireFree(ctx, found)
  await closeCase(ctx.db, id, { status, seq: 0, by: holderOf(ctx.caller) }, ctx.now)
  if (row.status === status) return true
  await restateSubmission(ctx.db, id, status, ctx.now)
  const { revision } = row
  await ctx.outbox.append('submission.moderated', { id, revision, status, by: 'moderator' })
  return true
}

/** A submission that was moderated, for those who tell of it. */
interface Submitted {
  /** JSON text. */
  readonly message: string
  readonly receiver: Entry['receiver']
  readonly verdict: Verdict | null
}

/** Undefined: it is gone, or is another one by now, which is moderated again. */
export async function findSubmitted(
  db: AppDb,
  { id, revision }: { readonly id: number; readonly revision: number },
): Promise<Submitted | undefined> {
  const row = await findSubmission(db, id)
  if (row?.revision !== revision) return undefined
  const [message = '{}'] = await print(db, [row])
  return { message, receiver: entryOf(row).receiver, verdict: row.verdict ?? null }
}

/** Of a user who is deleted for ever. */
export async function forgetSubmissionsOf(db: AppDb, uid: string): Promise<void> {
  await deleteCases(db, await deleteSubmissionsOf(db, uid))
}
