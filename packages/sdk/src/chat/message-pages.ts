import type { Message, OperationOutputs } from '../contract.generated.ts'
import type { Ask } from '../session/ask.ts'
import type { Target } from '../session/targets.ts'
import { isShown } from './messages.ts'
import type { Page } from './paging.ts'

type Rows = OperationOutputs['listReplies']

interface Query {
  readonly affix: 'prepend'
  readonly limit: number
  readonly hideReplies?: boolean
  readonly id?: string
}

const limit = 30

/** Before this id, oldest first; without one, the newest. */
export function fetchMessages(
  call: Ask,
  { receiver, receiverType }: Target,
  beforeId: string | undefined,
): Promise<Page<Message>> {
  return fetchShown(beforeId, (query) =>
    receiverType === 'user'
      ? call('listUserMessages', { params: { uid: receiver }, query })
      : call('listGroupMessages', { params: { guid: receiver }, query }),
  )
}

export function fetchReplies(
  call: Ask,
  id: string,
  beforeId: string | undefined,
): Promise<Page<Message>> {
  return fetchShown(beforeId, ({ hideReplies: _, ...query }) =>
    call('listReplies', { params: { id }, query }),
  )
}

/** Edits and deletions have rows, too: a page of nothing else is no page. */
async function fetchShown(
  beforeId: string | undefined,
  list: (query: Query) => Promise<Pick<Rows, 'data'> & { meta: Pick<Rows['meta'], 'previous'> }>,
): Promise<Page<Message>> {
  let next = beforeId
  let items: Message[] = []
  do {
    const query = { affix: 'prepend', limit, hideReplies: true } as const
    const { data, meta } = await list({ ...query, ...(next !== undefined && { id: next }) })
    items = [...data.filter((row) => 'id' in row).filter(isShown), ...items]
    next = meta.previous?.id
  } while (next !== undefined && items.length < limit / 2)
  return { items, next }
}
