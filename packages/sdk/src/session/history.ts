import type { Message, UnreadCount } from '../contract.generated.ts'
import type { Ask } from './ask.ts'
import type { Target } from './targets.ts'

/** From where `history` reads, and which way. */
export interface HistoryOptions {
  /** `older` unless given. */
  readonly direction?: 'older' | 'newer'
  /** Id of the message to begin beside; without one, the newest, or the oldest for `newer`. */
  readonly from?: string
  /** How many messages a page has: 30 unless given. */
  readonly pageSize?: number
}

const pageOfGap = 100

/** Page by page, each oldest first. */
export async function* pages(
  ask: Ask,
  target: Target,
  { direction = 'older', from, pageSize = 30 }: HistoryOptions = {},
): AsyncGenerator<Message[]> {
  const affix = direction === 'older' ? 'prepend' : 'append'
  let id = from
  do {
    const { data, meta } = await list(ask, target, {
      affix,
      limit: pageSize,
      ...(id !== undefined && { id }),
    })
    const messages = data.filter((row) => 'id' in row)
    if (messages.length > 0) yield messages
    id = (direction === 'older' ? meta.previous : meta.next)?.id
  } while (id !== undefined)
}

/** All after one id and before another. */
export async function between(
  ask: Ask,
  target: Target,
  afterId: string,
  beforeId: string,
): Promise<Message[]> {
  const found: Message[] = []
  const options = { direction: 'newer', from: afterId, pageSize: pageOfGap } as const
  for await (const page of pages(ask, target, options)) {
    found.push(...page.filter(({ id }) => Number(id) < Number(beforeId)))
    if (Number(page.at(-1)?.id) >= Number(beforeId)) break
  }
  return found
}

export async function unreadCounts(ask: Ask): Promise<UnreadCount[]> {
  const { data } = await ask('listMessages', { query: { unread: true, count: true } })
  return data.filter((row) => 'count' in row)
}

interface PageQuery {
  readonly affix: 'append' | 'prepend'
  readonly limit: number
  readonly id?: string
}

function list(ask: Ask, { receiver, receiverType }: Target, query: PageQuery) {
  return receiverType === 'user'
    ? ask('listUserMessages', { params: { uid: receiver }, query })
    : ask('listGroupMessages', { params: { guid: receiver }, query })
}
