import type { LoggerOptions } from 'pino'
import { isNatsAway } from '../bus/errors.ts'
import { isUnavailable } from '../database/errors.ts'

/** One line for each cause in this time. */
const everyMs = 1000

type Hook = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

interface Cause {
  repeated: number
  /** Writes the newest of what was held back. */
  write: () => void
}

/**
 * While an engine is away, whatever needs it fails many times a second, for the same reason: of these
 * lines the first is written at once, then one a second, which says how many it stands for.
 */
export function withoutStorms(): { readonly logMethod: Hook } {
  const causes = new Map<string, Cause>()

  function watch(name: string): void {
    const timer = setInterval(() => {
      const cause = causes.get(name)
      if (cause && cause.repeated > 0) {
        cause.write()
        cause.repeated = 0
      } else {
        causes.delete(name)
        clearInterval(timer)
      }
    }, everyMs)
    timer.unref()
  }

  return {
    logMethod(args, method) {
      const [facts, text]: readonly unknown[] = args
      const error = errorIn(facts)
      if (!error || !(isUnavailable(error) || isNatsAway(error))) return method.apply(this, args)
      const name = `${text} ${kindOf(error)}`
      const known = causes.get(name)
      if (!known) {
        causes.set(name, { repeated: 0, write: () => undefined })
        watch(name)
        return method.apply(this, args)
      }
      known.repeated++
      known.write = () => {
        const { repeated } = known
        method.call(this, { ...(facts as object), repeated }, text as string)
      }
    },
  }
}

function errorIn(facts: unknown): Error | undefined {
  if (typeof facts !== 'object' || facts === null || !('err' in facts)) return undefined
  return facts.err instanceof Error ? facts.err : undefined
}

/** The same for errors that have the same reason: a text may name a port or a request. */
function kindOf(error: Error): string {
  return 'code' in error ? String(error.code) : `${error.name} ${error.message.slice(0, 60)}`
}
