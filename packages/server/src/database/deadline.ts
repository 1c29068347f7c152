import { openUnderWay } from '../limits/under-way.ts'
import { DatabaseSilent } from './errors.ts'

interface Awaited {
  /** Infinity once it is overdue: it stays until its answer comes after all. */
  until: number
  readonly reject: (error: Error) => void
}

/** How late one may be found overdue. */
const everyMs = 50

// One timer for all who wait: most have their answer within milliseconds.
const awaited = openUnderWay<Awaited>()
let timer: NodeJS.Timeout | undefined

/** Rejects when there is no answer by then. What was asked for may still happen. */
export function answeredWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const place = awaited.add({ until: performance.now() + ms, reject })
  timer ??= setInterval(look, everyMs)
  answer.then(
    (value) => {
      awaited.remove(place)
      resolve(value)
    },
    (error) => {
      awaited.remove(place)
      reject(error)
    },
  )
  return promise
}

function look(): void {
  if (awaited.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  const now = performance.now()
  for (const one of awaited.all()) {
    if (one.until > now) continue
    one.until = Infinity
    // An answer that lies in the socket, because this process was busy, is read first.
    setImmediate(() => one.reject(new DatabaseSilent()))
  }
}
