import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operation } from '@chorale/contract/operation'
import { resumeTurn } from '../watchdog/turns.ts'
import { Failure } from './failure.ts'
import type { RawInput, Validation } from './validation.ts'

const itemsOfTurn = 50

/** The property of a body that holds items by their names, as those of an import. */
export interface Items {
  readonly name: string
  readonly max: number
}

export function itemsIn({ body }: Operation): Items | undefined {
  const properties: Readonly<Record<string, { maxProperties?: number }>> = body?.properties ?? {}
  for (const [name, { maxProperties: max = 0 }] of Object.entries(properties)) {
    if (max > itemsOfTurn) return { name, max }
  }
  return undefined
}

/** As `validation.input`, for a body with many items: other calls have their turn in between. */
export async function inputInTurns(
  validation: Validation,
  raw: RawInput,
  { name, max }: Items,
): Promise<Record<string, unknown>> {
  const body = Object(raw.body?.())
  const items = Object.entries(Object(body[name]))
  if (Array.isArray(body[name]) || items.length > max) return validation.input(raw)
  const read: Record<string, unknown>[] = []
  try {
    for (let first = 0; first < items.length; first += itemsOfTurn) {
      await nextTurn()
      resumeTurn()
      const part = { ...body, [name]: Object.fromEntries(items.slice(first, first + itemsOfTurn)) }
      read.push(validation.input({ ...raw, body: () => part }))
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // What is wrong is said of the whole.
    return validation.input(raw)
  }
  const [input] = read
  if (!input) return validation.input(raw)
  const bodies = read.map((one) => Object(one.body))
  const all = Object.fromEntries(bodies.flatMap((one) => Object.entries(one[name])))
  return { ...input, body: { ...bodies[0], [name]: all } }
}
