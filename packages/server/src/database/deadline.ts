import { DatabaseSilent } from './errors.ts'

/** Rejects when there is no answer by then. What was asked for may still happen. */
export function answeredWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // An answer that lies in the socket, because this process was busy, is read first.
  const timer = setTimeout(() => setImmediate(() => reject(new DatabaseSilent())), ms)
  answer.then(
    (value) => {
      clearTimeout(timer)
      resolve(value)
    },
    (error) => {
      clearTimeout(timer)
      reject(error)
    },
  )
  return promise
}
