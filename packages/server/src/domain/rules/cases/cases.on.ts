import type { Action } from '@chorale/contract/rules'
import type { HeardEvent, Listener } from '../../../outbox/listener.ts'
import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { expel } from '../../groups/index.ts'
import { otherThan } from '../../log/entries/index.ts'
import { findEntry, findReceiver } from '../../log/index.ts'
import { blockFor } from '../../users/relationships/index.ts'
import { appsThatModerate } from './cases.sql.ts'
import { openCase } from './cases.ts'

/** What rules have caught waits for moderators. */
export const openCases: Listener = {
  name: 'open-cases',
  idempotent: true,
  concerns: appsThatModerate,
  on: {
    async 'entry.appended'({ payload }, ctx) {
      if (payload.caught === undefined) return undefined
      const row = await findEntry(ctx.db, payload, payload.seq)
      // What classifiers were asked about is their business, whatever became of it.
      if (row?.verdict && !row.verdict.pending) await openCase(ctx, row, row.verdict, false)
      return undefined
    },
  },
}

/** What rules do to the one who sent it: once, so each event is remembered. */
export const punishSenders: Listener = {
  name: 'punish-senders',
  on: { 'message.blocked': punish, 'message.flagged': punish },
}

type Caught = HeardEvent<'message.blocked'> | HeardEvent<'message.flagged'>

async function punish({ payload }: Caught, ctx: AppTransaction): Promise<undefined> {
  if (payload.by !== 'rule') return
  const { bucket, key, seq } = payload
  const row = await findEntry(ctx.db, { bucket, key }, seq)
  const receiver = await findReceiver(ctx.db, { bucket, key })
  if (!row?.verdict || !receiver) return
  const { actions, sealed } = row.verdict
  // Whose words they are: a moderator may have put them into somebody else's message.
  const author = (sealed?.extra ?? row.extra)?.editedBy ?? row.sender
  const says = (action: Action) => actions.includes(action)
  if (receiver.kind === 'user') {
    if (says('blockUser')) await blockFor(ctx, otherThan(author, receiver.uids), author)
  } else if (says('banUser') || says('kickUser')) {
    await expel(ctx, receiver.guid, author, says('banUser') ? 'ban' : 'kick')
  }
}
