import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import type { MoveState } from './state.ts'

/** What a webhook says was touched: all of it is read again, so nothing is believed but the id. */
export type Touched =
  | { readonly is: 'message'; readonly id: string }
  | { readonly is: 'group'; readonly guid: string }
  | { readonly is: 'reader'; readonly uid: string; readonly type: string; readonly with: string }
  | { readonly is: 'relations'; readonly uid: string }

/**
 * What webhooks have said, in a file beside the state: a call is answered when its line is written, and
 * the line is done with when the new side has what it tells of.
 */
export class Heard {
  readonly #path: string
  readonly #state: MoveState
  /** Bytes that were in the file since the program started, and are done with. */
  #emptied = 0

  constructor(path: string, state: MoveState) {
    this.#path = path
    this.#state = state
  }

  add(touched: readonly Touched[]): void {
    if (touched.length === 0) return
    appendFileSync(this.#path, touched.map((one) => `${JSON.stringify(one)}\n`).join(''))
  }

  /** Up to where there is something now; places grow, also when the file is emptied. */
  end(): number {
    return this.#emptied + this.#size()
  }

  /** What is next, up to a place and so many bytes; undefined: nothing is left. */
  next(
    end: number,
    most: number,
  ): { readonly touched: readonly Touched[]; readonly place: number } | undefined {
    const { offset = 0 } = this.#state.step('heard')
    const size = this.#size()
    const from = offset > size ? 0 : offset
    const length = Math.min(most, size - from, end - this.#emptied - from)
    if (length <= 0) return undefined
    const file = openSync(this.#path, 'r')
    try {
      const buffer = Buffer.alloc(length)
      const read = readSync(file, buffer, 0, length, from)
      // A line that is cut off comes with the next piece; one that a crash has cut off has no end.
      const whole = buffer.subarray(0, read).lastIndexOf(10) + 1
      const lines = buffer.subarray(0, whole).toString().split('\n')
      const place = this.#emptied + from + (whole || length)
      return { touched: distinct(lines.flatMap(parsed)), place }
    } finally {
      closeSync(file)
    }
  }

  /** All before is on the new side. */
  done(place: number): void {
    const size = this.#size()
    const offset = place - this.#emptied
    const isAll = offset === size
    const { count } = this.#state.step('heard')
    this.#state.save('heard', { done: false, count: count + 1, offset: isAll ? 0 : offset })
    if (!isAll) return
    truncateSync(this.#path, 0)
    this.#emptied += size
  }

  #size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }
}

function parsed(line: string): Touched[] {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return []
  }
}

function distinct(touched: readonly Touched[]): Touched[] {
  return [...new Map(touched.map((one) => [JSON.stringify(one), one])).values()]
}

/** What a call of a webhook tells of; a message that is new is found by looking. */
export function touchedIn(body: unknown): Touched[] {
  const { trigger, data = {} } = Object(body)
  const { message, reaction, group, by, receiver, receiverType, sender, body: receipt } = data
  const changed = Object(Object(Object(Object(message).data).entities).on).entity
  // A message of a group does not say who has it.
  const receiptOf = receiverType === 'group' ? undefined : receipt?.messageId
  const ids = [changed?.id, reaction?.messageId, receiptOf]
  const touched: Touched[] = ids.filter(isId).map((id) => ({ is: 'message', id }))
  if (isId(group?.guid)) touched.push({ is: 'group', guid: group.guid })
  if (trigger === 'message_read_receipt' && isId(sender) && isId(receiver)) {
    touched.push({ is: 'reader', uid: sender, type: receiverType, with: receiver })
  }
  if (/^user_(?:un)?blocked$/.test(trigger) && isId(by?.uid)) {
    touched.push({ is: 'relations', uid: by.uid })
  }
  return touched
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(id)
}
