import type { Logger } from 'pino'
import type { CallName } from '../pipeline/pipeline.ts'

type StopReason = NodeJS.Signals | 'failure'

/** A failure that repeats itself while the process stops is not logged for ever. */
const maxLogged = 20

/**
 * Resolves when the process is to stop: it was told to, or an error came up that nobody handles.
 * After that its state is unknown, so it finishes what it accepted and leaves the rest to the process
 * that is started next.
 */
export function stopReason(log: Logger) {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  process.once('SIGTERM', resolve)
  process.once('SIGINT', resolve)
  let underWay: () => readonly CallName[] = () => []
  let logged = 0
  // Node brings rejections that nobody handles here as well.
  process.on('uncaughtException', (error, origin) => {
    if (logged++ < maxLogged) {
      log.fatal(
        { err: error, origin, calls: underWay().slice(0, 10) },
        'unhandled error; the process stops',
      )
    }
    resolve('failure')
  })
  return {
    stopped: promise,
    /** Names the calls under way, which such an error is likely to come from. */
    watch(calls: () => readonly CallName[]) {
      underWay = calls
    },
  }
}
