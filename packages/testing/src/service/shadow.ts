import type { OperationName } from '@chorale/contract/api'
import { ChoraleError } from '@chorale/sdk'
import { watchRows } from './row-watch.ts'

/**
 * A second app with the same uids and guids, which repeats each call one step behind. A call that
 * writes a row of the shadow forgot an app id somewhere.
 */
export interface Shadow extends AsyncDisposable {
  /** Says which value of the shadow stands for one that no answer has shown. */
  pair(value: string, echo: string): void
  /** Runs a call in the app, sees that no row of the shadow was written, repeats it in the shadow. */
  follow(
    name: OperationName,
    input: unknown,
    inApp: (input: unknown) => Promise<unknown>,
    inShadow: (input: unknown) => Promise<unknown>,
  ): Promise<unknown>
}

export async function openShadow(
  databaseUrl: string,
  appId: string,
  shadowId: string,
): Promise<Shadow> {
  const watch = await watchRows(databaseUrl)
  // What is made by chance (keys, tokens) differs between the two: learnt from their answers.
  const known = new Map<unknown, unknown>([[appId, shadowId]])
  return {
    pair: (value, echo) => void known.set(value, echo),
    async follow(name, input, inApp, inShadow) {
      const before = await watch.writesTo(shadowId)
      const answer = await settled(inApp(input))
      if ((await watch.writesTo(shadowId)) !== before) {
        throw new Error(`${name} wrote rows of another app: an app id is missing somewhere.`)
      }
      const echo = await settled(inShadow(translate(input, known)))
      if (outcomeOf(answer) !== outcomeOf(echo)) {
        throw new Error(
          `${name}: the app says ${outcomeOf(answer)}, its shadow ${outcomeOf(echo)}.`,
        )
      }
      learn(answer.value, echo.value, known)
      if ('error' in answer) throw answer.error
      return answer.value
    },
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  }
}

type Settled = { readonly value: unknown; readonly error?: ChoraleError }

async function settled(call: Promise<unknown>): Promise<Settled> {
  try {
    return { value: await call }
  } catch (error) {
    if (error instanceof ChoraleError) return { value: undefined, error }
    throw error
  }
}

function outcomeOf({ error }: Settled): string {
  return error?.code ?? 'ok'
}

/** Walks two answers side by side; where they differ in a leaf or a key, one stands for the other. */
function learn(a: unknown, b: unknown, known: Map<unknown, unknown>): void {
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    const left = Object.entries(a)
    const right = Object.entries(b)
    for (const [place, [key, value]] of left.entries()) {
      const other = right[place]
      if (!other) continue
      if (other[0] !== key) known.set(key, other[0])
      learn(value, other[1], known)
    }
  } else if (typeof a === 'string' && typeof b === 'string' && a !== b) {
    known.set(a, b)
  }
}

function translate(value: unknown, known: ReadonlyMap<unknown, unknown>): unknown {
  if (typeof value === 'string') return known.get(value) ?? value
  if (Array.isArray(value)) return value.map((item) => translate(item, known))
  if (typeof value !== 'object' || value === null || value instanceof Blob) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      String(known.get(key) ?? key),
      translate(item, known),
    ]),
  )
}
