import type { Logger } from 'pino'

/** Throws while something does not work. */
type Check = () => Promise<void>

export interface Readiness {
  readonly ready: boolean
  readonly degraded: boolean
  /** Of each check `ok`, or the text of its error. */
  readonly checks: Readonly<Record<string, string>>
}

/** What a process needs for its work: its parts name the checks. A second one of a name replaces the first. */
export interface Health {
  /** While it fails, the process is not ready. */
  require(name: string, check: Check): void
  /** While it fails, the process is degraded: it works, and what follows is late. */
  want(name: string, check: Check): void
  read(): Promise<Readiness>
}

export function openHealth(log: Logger): Health {
  const checks = new Map<string, { readonly check: Check; readonly isRequired: boolean }>()

  async function read(): Promise<Readiness> {
    const states = await Promise.all(
      [...checks].map(async ([name, { check, isRequired }]) => {
        const error = await errorOf(check)
        if (error !== undefined) log.warn({ check: name, error }, 'a readiness check failed')
        return { name, isRequired, error }
      }),
    )
    const failed = states.filter(({ error }) => error !== undefined)
    return {
      ready: !failed.some(({ isRequired }) => isRequired),
      degraded: failed.some(({ isRequired }) => !isRequired),
      checks: Object.fromEntries(states.map(({ name, error }) => [name, error ?? 'ok'])),
    }
  }

  return {
    require: (name, check) => void checks.set(name, { check, isRequired: true }),
    want: (name, check) => void checks.set(name, { check, isRequired: false }),
    read,
  }
}

async function errorOf(check: Check): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'unreachable'
  }
}
