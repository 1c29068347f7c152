import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isPassing } from '../../database/errors.ts'

const patienceMs = 60_000
const pauseMs = 1000

/**
 * A process that starts while another server takes over waits for it: whoever watches over processes would start
 * it again, but later each time. What does not pass by itself, such as a wrong address, ends the start at once.
 * Undefined: told to stop meanwhile.
 */
export async function whenDatabaseWorks<T>(
  log: Logger,
  stopped: Promise<string>,
  open: () => Promise<T>,
): Promise<T | undefined> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'the database takes no writes yet, as in a failover; trying again')
    }
    if (await Promise.race([stopped, after(pauseMs)])) return undefined
  }
}
