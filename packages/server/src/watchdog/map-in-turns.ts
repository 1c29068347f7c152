import { setImmediate as nextTurn } from 'node:timers/promises'
import { resumeTurn } from './turns.ts'

const itemsOfTurn = 50

/** Maps a list that may be long: other calls have their turn in between. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (let first = 0; first < items.length; first += itemsOfTurn) {
    if (first > 0) {
      await nextTurn()
      resumeTurn()
    }
    for (const item of items.slice(first, first + itemsOfTurn)) results.push(work(item))
  }
  return results
}
