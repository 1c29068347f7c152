import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { withoutStorms } from './log-storms.ts'

/** Secrets never reach the log, whatever object they come in. */
export function openLog(level: Config['LOG_LEVEL'], to: number | string = 1): Logger {
  const secrets = ['apikey', 'apiKey', 'authToken', 'secret', 'password', 'authorization', 'token']
  return pino(
    {
      level,
      base: null,
      hooks: withoutStorms(),
      timestamp: openTimestamps(),
      redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[hidden]' },
    },
    openOutput(to),
  )
}

/** Of many lines of one millisecond the time is printed once. */
function openTimestamps(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
    at = now
    return text
  }
}

const gatherMs = 50
/** What a pipe takes as a whole: lines of processes that share it are not mixed. */
const maxWrite = 4096

/** Some lines at a time, or what there is after a moment: a write for each costs every call. */
function openOutput(dest: number | string) {
  const output = pino.destination({ dest, sync: false, minLength: 3072, maxWrite })
  let waiting = false
  return {
    write(line: string): void {
      output.write(line)
      if (waiting) return
      waiting = true
      setTimeout(() => {
        waiting = false
        output.flush()
      }, gatherMs).unref()
    },
    flushSync: () => output.flushSync(),
  }
}
