import type { Message } from '@chorale/sdk'

/** What this device did itself: its listeners are not told of it, those of other devices are. */
const sent = new Set<string>()
const changed = new Set<string>()
const maxKept = 1000

type Change = 'edited' | 'deleted' | `reacted ${string}`

function add(set: Set<string>, key: string): void {
  set.add(key)
  const [oldest] = set
  if (set.size > maxKept && oldest !== undefined) set.delete(oldest)
}

export function noteSend(muid: string): void {
  add(sent, muid)
}

export function isOwnSend({ muid }: Message): boolean {
  return muid !== undefined && sent.has(muid)
}

/** Of a call that fails, nothing is heard. */
export async function noteChange<T>(
  change: Change,
  id: string,
  call: () => Promise<T>,
): Promise<T> {
  const key = `${change} ${id}`
  add(changed, key)
  try {
    return await call()
  } catch (error) {
    changed.delete(key)
    throw error
  }
}

/** True once for each change. */
export function isOwnChange(change: Change, id: string): boolean {
  return changed.delete(`${change} ${id}`)
}
