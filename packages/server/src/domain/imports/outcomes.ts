import type { ItemOutcome } from '@chorale/contract/envelope'
import { badRequest, Failure } from '../../pipeline/failure.ts'

export type Outcome<T> = ItemOutcome & { data?: T }

/** What became of an item. */
export function outcomeOf<T>(result: T | Failure | undefined): Outcome<T> {
  if (result === undefined) throw new Error('An item of an import has no outcome.')
  return result instanceof Failure
    ? { success: false, error: result.brief() }
    : { success: true, data: result }
}

/** The key of an item is its id, as it was sent or in lower case. */
export function objectionToKey(key: string, field: string, id: string): Failure | undefined {
  if (key === id || key.toLowerCase() === id) return undefined
  return badRequest(field, `It must be the key of the item, ${key}.`)
}
