import type { OperationName } from '@chorale/contract/api'
import type { Example } from '@chorale/contract/examples'

/** One call of each operation, with what it was given and what it answered. */
export interface Recorder {
  readonly recorded: ReadonlyMap<OperationName, Example>
  /** A client whose calls are kept. Each operation may be called once. */
  of<T extends object>(client: T): T
}

export function openRecorder(beforeEach: () => void): Recorder {
  const recorded = new Map<OperationName, Example>()
  const keep = async (name: OperationName, call: Call, input: Input = {}) => {
    if (recorded.has(name)) throw new Error(`${name} has an example already.`)
    beforeEach()
    const answer = await call(input)
    const request = Object.entries(input).map(([part, value]) => [part, asText(value)])
    recorded.set(name, { request: Object.fromEntries(request), answer })
    return answer
  }
  return {
    recorded,
    of(client) {
      const calls = Object.entries(client).map(([name, call]) => [
        name,
        // A client has a function for each operation, and nothing else.
        (input?: Input) => keep(name as OperationName, call as Call, input),
      ])
      return Object.fromEntries(calls)
    },
  }
}

type Input = Readonly<Record<string, unknown>>
type Call = (input: Input) => Promise<unknown>

/** Files of a form are named, not shown. */
function asText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => (part instanceof Blob ? '(file)' : part)))
}
