import type { NewMessage } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import { type Entry, otherThan } from '../log/entries/index.ts'

/** One level only, and to what was said. */
export function requireParent({ row }: Entry): void {
  const { id, extra } = row
  if (row.category === 'action') throw new Failure('ERR_WRONG_MESSAGE_THREAD_CATEGORY')
  if (row.deletedAt !== null) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
  if (extra?.parent !== undefined) throw new Failure('ERR_MESSAGE_THREAD_NESTING', { id })
}

/** To whom its parent went, seen from who replies. It need not be said; what is said must be right. */
export function receiverOfReply(parent: Entry, uid: string, body: NewMessage) {
  requireParent(parent)
  const to = otherSideOf(parent, uid)
  const { receiver = to.id, receiverType = to.type, multipleReceivers = {} } = body
  const { uids = [], guids = [] } = multipleReceivers
  if (receiver !== to.id || receiverType !== to.type || uids.length + guids.length > 0) {
    throw new Failure('ERR_WRONG_MESSAGE_THREAD', { id: parent.row.id })
  }
  return to
}

function otherSideOf({ receiver }: Entry, uid: string) {
  return receiver.kind === 'group'
    ? { type: 'group' as const, id: receiver.guid }
    : { type: 'user' as const, id: otherThan(uid, receiver.uids) }
}
