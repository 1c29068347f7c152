import { importItems, leftoversIn, type Outcome } from './batches.ts'
import type { ListedConversation } from './listed.ts'
import { ahead, conversationsOf } from './lists.ts'
import type { Moving } from './moving.ts'
import type { Side } from './side.ts'

/** How much each user has not read, in each conversation. */
export async function movePositions(
  { from, to, state, progress }: Moving,
  isLast = false,
): Promise<void> {
  let { done, count, place } = state.step('positions')
  if (done) return
  for await (const { items, next } of ahead(conversationsOf(from, place))) {
    const outcomes = await importPositions(to, items)
    state.leave(leftoversIn('positions', isLast ? outcomes : thereNow(outcomes)))
    count += items.length
    place = next
    state.save('positions', { done: false, count, place })
    progress('positions', count)
  }
  state.save('positions', { done: true, count })
}

async function importPositions(
  to: Side,
  listed: readonly ListedConversation[],
): Promise<Map<string, Outcome>> {
  const items = new Map(listed.flatMap((one) => [positionOf(one) ?? []].filter(isPair)))
  return importItems({ to, kind: 'conversations' }, items)
}

/** Without those who came since members were read: the cut-over brings them, and reads this list again. */
export function thereNow(outcomes: ReadonlyMap<string, Outcome>): Map<string, Outcome> {
  const later = 'ERR_CONVERSATION_NOT_ACCESSIBLE'
  return new Map([...outcomes].filter(([, { error }]) => error?.code !== later))
}

function isPair(pair: readonly unknown[]): pair is [string, object] {
  return pair.length === 2
}

/** As an import takes it, under a key. */
export function positionOf(listed: ListedConversation): [string, object] | undefined {
  const { uid, conversationType, conversationWith, unreadMessageCount, conversationId } = listed
  const other = conversationWith.guid ?? conversationWith.uid
  if (uid === undefined || other === undefined) return undefined
  return [
    `${uid} ${conversationId}`,
    {
      uid,
      conversationType,
      conversationWith: other,
      unreadMessageCount: Number(unreadMessageCount),
    },
  ]
}
