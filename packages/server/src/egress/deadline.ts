/** Rejects when the time is over, whatever the work does then; the signal tells it to stop. */
export async function within<T>(
  ms: number,
  overdue: (ms: number) => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const end = new AbortController()
  const timer = setTimeout(() => {
    const error = overdue(ms)
    reject(error)
    end.abort(error)
  }, ms)
  try {
    return await Promise.race([work(end.signal), deadline])
  } finally {
    clearTimeout(timer)
  }
}
