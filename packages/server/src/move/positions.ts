import { importItems, leftoversIn } from './batches.ts'
import { conversationsOf } from './lists.ts'
import type { Moving } from './moving.ts'

/** How much each user has not read, in each conversation. */
export async function movePositions({ from, to, state, progress }: Moving): Promise<void> {
  let { done, count, place } = state.step('positions')
  if (done) return
  for await (const { items, next } of conversationsOf(from, place)) {
    const conversations = new Map<string, object>()
    for (const one of items) {
      const { uid, conversationType, conversationWith, unreadMessageCount, conversationId } = one
      const other = conversationWith.guid ?? conversationWith.uid
      if (uid === undefined || other === undefined) continue
      conversations.set(`${uid} ${conversationId}`, {
        uid,
        conversationType,
        conversationWith: other,
        unreadMessageCount: Number(unreadMessageCount),
      })
    }
    const outcomes = await importItems({ to, kind: 'conversations' }, conversations)
    state.leave(leftoversIn('positions', outcomes))
    count += items.length
    place = next
    state.save('positions', { done: false, count, place })
    progress('positions', count)
  }
  state.save('positions', { done: true, count })
}
