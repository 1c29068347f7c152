import { textBytes } from '../../../limits/app-cache.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { EntryRow } from '../../log/entries/index.ts'
import {
  type Between,
  loadCounterparts,
  type ProfileLoader,
  serialiseBetween,
} from '../counterparts.ts'
import { type Read, rangesOf, receiptsIn } from '../receipts.ts'
import { idsOf, isUntouched, kindOf, receiptsOf, timesOf } from '../serialise-entry.ts'

/** Messages of one conversation that are as they were sent, printed but for what changes beside them. */
export interface PlainPage {
  /** The oldest first. */
  readonly messages: readonly PlainMessage[]
  readonly oldest: Edge
  readonly newest: Edge
  /** Who may have had and read which of them. */
  readonly reads: readonly Read[]
  /** So much memory it takes, about. */
  readonly bytes: number
}

type Edge = Pick<EntryRow, 'seq' | 'id' | 'sentAt'>

/** Its text in three parts: between them stands what is looked up for each reader. */
interface PlainMessage {
  readonly id: number
  readonly sender: string
  /** Up to the names of who it is between. */
  readonly ids: string
  /** Up to their profiles. */
  readonly said: string
  /** Up to who has had it. */
  readonly times: string
}

/** Of each message, beside its text. */
const bytesOfObjects = 200

/** Undefined: it is empty, or a message of it says more than it was sent with. */
export function plainPageOf(
  appId: string,
  rows: readonly EntryRow[],
  receiver: Receiver,
): PlainPage | undefined {
  const oldest = rows[0]
  const newest = rows.at(-1)
  if (!oldest || !newest || !rows.every(isPlain)) return undefined
  const senders = new Map(rows.map(({ sender }) => [sender, copyOf(sender)]))
  const messages = rows.map((row) => plainMessage(row, senders.get(row.sender) ?? row.sender))
  const reads = rangesOf(
    appId,
    rows.map((row) => ({ row, receiver })),
  )
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0)
  return { messages, oldest: edgeOf(oldest), newest: edgeOf(newest), reads, bytes }
}

/** The list as JSON text, as the viewer sees it. */
export async function serialisePlainPage(
  from: ProfileLoader,
  { messages, reads }: PlainPage,
  receiver: Receiver,
  viewer: string | undefined,
): Promise<string> {
  const senders = [...new Set(messages.map(({ sender }) => sender))]
  const wanted =
    receiver.kind === 'group'
      ? { uids: senders, guids: [receiver.guid], blocks: false }
      : { uids: [...receiver.uids, ...senders], guids: [], blocks: false }
  const [as, moves] = await Promise.all([loadCounterparts(from, wanted, viewer), from.moves(reads)])
  const seen = as({ withBlocks: false, withConversationId: false })
  const receipts = new Map(reads.flatMap((read, nth) => receiptsIn(read, moves[nth] ?? [])))
  const between = new Map(
    senders.map((sender) => [sender, serialiseBetween(sender, receiver, seen)]),
  )
  let text = ''
  for (const message of messages) {
    const { names, entities } = between.get(message.sender) as Between
    const had = receiptsOf({ row: message, receiver }, receipts)
    text += `${text && ','}${message.ids}${names}${message.said}${entities}${message.times}${had}}`
  }
  return `[${text}]`
}

function isPlain(row: EntryRow): boolean {
  return row.category !== 'action' && isUntouched(row)
}

/** The parts are joined, not added: what is added up keeps the text of the whole page in memory. */
function plainMessage(row: EntryRow, sender: string): PlainMessage {
  const { id, data } = row
  return {
    id,
    sender,
    ids: [idsOf(row), ''].join(''),
    said: [kindOf(row), data.slice(0, -1), data.length > 2 ? ',' : ''].join(''),
    times: ['}', timesOf(row)].join(''),
  }
}

function copyOf(text: string): string {
  return Buffer.from(text).toString()
}

function edgeOf({ seq, id, sentAt }: EntryRow): Edge {
  return { seq, id, sentAt }
}

function bytesOf({ ids, said, times }: PlainMessage): number {
  return [ids, said, times].reduce((sum, text) => sum + textBytes(text), bytesOfObjects)
}
