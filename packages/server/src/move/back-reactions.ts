import type { Given } from './given.ts'
import type { Moving } from './moving.ts'
import { Refused, type Side } from './side.ts'

interface Happened {
  readonly type: string
  readonly at: number
  readonly actor?: string
  readonly messageId?: string
  readonly data: { readonly reaction?: string }
}

interface Events {
  readonly data: readonly Happened[]
  readonly meta: { readonly next: { readonly after: string } }
}

const methods: Readonly<Record<string, 'post' | 'delete'>> = {
  'message.reactionAdded': 'post',
  'message.reactionRemoved': 'delete',
}

/** A list of messages does not say when somebody reacted: the list of events does. */
export async function giveReactions(moving: Moving, given: Given): Promise<void> {
  const { to, state } = moving
  const { sentAt: since = 0 } = state.step('cut-over')
  let { count, after } = state.step('reactions')
  try {
    for (;;) {
      const { data, meta } = await to.get<Events>('/events', { limit: 1000, after })
      for (const event of data) {
        if (event.at < since || !methods[event.type]) continue
        await give(moving, given, event)
        count += 1
      }
      after = meta.next.after
      state.save('reactions', { done: false, count, after })
      if (data.length === 0) return
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    state.leave([{ kind: 'back', id: 'reactions', why: error.message }])
  }
}

async function give({ from: old, state }: Moving, given: Given, event: Happened): Promise<void> {
  const { type, actor, messageId, data } = event
  const id = given.idOf(messageId)
  if (id === undefined || data.reaction === undefined) return
  const path = `/messages/${id}/reactions/${encodeURIComponent(data.reaction)}`
  try {
    await call(old, methods[type] === 'delete', path, actor)
  } catch (error) {
    // The message was deleted since, or has the reaction from its import.
    if (!(error instanceof Refused)) throw error
    if (error.status >= 500) state.leave([{ kind: 'back', id, why: error.message }])
  }
}

function call(old: Side, removes: boolean, path: string, actor: string | undefined) {
  return removes ? old.delete(path, actor) : old.post(path, {}, actor)
}
